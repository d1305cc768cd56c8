/// \file
/// The rows of the benchmark table: their names, their shapes, and the work that each one is.
/// Every program of this folder takes its rows from here, so a name always means the same work.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorette::bench {

/// Self-attention over `[batch, length, width]` with `heads` heads.
struct AttentionShape {
  std::int64_t batch;
  std::int64_t length;
  std::int64_t width;
  std::int64_t heads;
};

/// An encoder-decoder with as many source as target positions.
struct TransformerShape {
  std::string_view size;  ///< the word in the row's name
  std::int64_t batch;
  std::int64_t length;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t layers;  ///< in the encoder, and again in the decoder
  std::int64_t hidden;  ///< width between the two products of a feed-forward block
  std::int64_t vocabulary;
};

inline constexpr std::array attention_shapes{
    AttentionShape{32, 16, 64, 4},   AttentionShape{64, 32, 128, 8},
    AttentionShape{16, 128, 256, 8}, AttentionShape{8, 512, 512, 8},
    AttentionShape{1, 2048, 512, 8},
};

inline constexpr std::array transformer_shapes{
    TransformerShape{"small", 64, 12, 64, 4, 2, 128, 128},
    TransformerShape{"medium", 64, 16, 128, 4, 2, 512, 2000},
    TransformerShape{"large", 64, 24, 256, 8, 3, 1024, 8000},
};

/// The model that translates one sentence in the row `translate_sentence`, greedily and token by
/// token, `length` tokens long; the size of the demonstration.
inline constexpr std::string_view translation_row = "translate_sentence";
inline constexpr TransformerShape translation_shape{"sentence", 1, 12, 64, 4, 2, 128, 128};

/// Attention alone (no projections) over `[1, 8, length, 64]`, the long-sequence rows.
inline constexpr std::array<std::int64_t, 2> long_attention_lengths{4096, 8192};
inline constexpr std::int64_t long_attention_heads = 8;
inline constexpr std::int64_t long_attention_head_dim = 64;

/// Length of the chain of 4×4 operations in the row `small_ops`. A thousand, so that milliseconds
/// per run are microseconds per operation.
inline constexpr int small_ops_count = 1000;

/// Rows and columns of the element-by-element rows.
inline constexpr std::int64_t elementwise_size = 1024;

inline constexpr double transformer_dropout = 0.1;

/// Rows of the machine itself: one product of this size on all cores, and a copy of more bytes than
/// any cache holds.
inline constexpr std::string_view reference_sgemm_row = "sgemm_1024";
inline constexpr std::int64_t reference_sgemm_size = 1024;
inline constexpr std::string_view reference_copy_row = "copy_memory";
inline constexpr std::int64_t reference_copy_bytes = std::int64_t{256} << 20;

/// `mha_32_16_64_4_forward` or `mha_32_16_64_4_train`.
[[nodiscard]] std::string attention_row_name(const AttentionShape& shape, bool train);

/// `transformer_small_step`.
[[nodiscard]] std::string transformer_row_name(const TransformerShape& shape);

/// `attention_4096_train`.
[[nodiscard]] std::string long_attention_row_name(std::int64_t length);

/// `softmax_1024_1024`.
[[nodiscard]] std::string elementwise_row_name(std::string_view operation);

/// `count` independent matrix products `[rows, depth] · [depth, columns]`.
struct Product {
  std::int64_t count;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth;
  int passes;  ///< 1 forward only; 2 forward and one gradient; 3 forward and both gradients
};

/// What keeps a row from being faster on a perfect implementation.
enum class LimitedBy { products, memory, overhead };

/// One row of the table.
struct RowInfo {
  std::string name;
  LimitedBy limited_by;
  std::vector<Product> products;   ///< matrix products of one step
  double elementwise_flops = 0;    ///< other operations of one step, where they matter
  std::int64_t bytes_read = 0;     ///< memory that one step must read ...
  std::int64_t bytes_written = 0;  ///< ... and write, for rows limited by memory
};

/// Every row, in the order in which the table shows them.
[[nodiscard]] const std::vector<RowInfo>& row_table();

/// The row called `name`, or a null pointer.
[[nodiscard]] const RowInfo* find_row(std::string_view name);

/// Floating-point operations of one step of `row`.
///
/// A product `[m, k] · [k, n]` counts 2·m·n·k. Its two gradients are products of the same size, so
/// training counts it three times, or twice where the left operand is data that needs no gradient.
/// For attention this gives 8·B·T·D² (four projections) + 4·B·T²·D (raw scores and value mixing),
/// times three to train; recomputation that an implementation chooses to do is not counted.
/// Element-by-element rows count the operations of the defining formula, one for each sum,
/// product, exponential or error function: add 1, exp 1, gelu 5, softmax 5, layer norm 8.
[[nodiscard]] double flops(const RowInfo& row);

}  // namespace tensorette::bench
