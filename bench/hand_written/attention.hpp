/// \file
/// Multi-head self-attention without any framework: what a patient programmer reaches with sgemm,
/// one softmax loop and OpenMP. The yardstick of the attention rows.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/huge_pages.hpp"
#include "rows/row_table.hpp"

namespace tensorette::bench {

/// Parameters and their gradients, `[out, in]` and `[out]`.
struct AttentionParameters {
  explicit AttentionParameters(std::int64_t width)
      : qkv_weight(3 * width * width),
        qkv_bias(3 * width),
        output_weight(width * width),
        output_bias(width) {}

  FloatArray qkv_weight;
  FloatArray qkv_bias;
  FloatArray output_weight;
  FloatArray output_bias;
};

/// Forward and backward of self-attention over `[batch, length, width]`.
///
/// All memory is taken by the constructor. The work is cut into chunks of a few samples that stay
/// in a core's cache from the first product to the last; a batch smaller than the number of threads
/// is cut by rows and heads instead. Each product runs on one thread.
class HandWrittenAttention {
 public:
  /// \param keep_scores  keep what `backward` needs
  HandWrittenAttention(const AttentionShape& shape, bool keep_scores);

  void forward();

  /// From `upstream`, the gradient of `output`, to `input_gradient` and `gradients`.
  /// Follows a `forward` that kept its scores.
  void backward();

  AttentionParameters parameters;
  AttentionParameters gradients;
  FloatArray input;           ///< [batch · length, width]
  FloatArray output;          ///< same
  FloatArray upstream;        ///< same
  FloatArray input_gradient;  ///< same

 private:
  /// Memory that only one thread uses.
  struct Scratch {
    FloatArray scores;            ///< [length, length]
    FloatArray context_gradient;  ///< [rows of a chunk, width]
  };

  [[nodiscard]] std::int64_t rows() const { return shape_.batch * shape_.length; }
  [[nodiscard]] std::int64_t head_dim() const { return shape_.width / shape_.heads; }
  [[nodiscard]] bool cut_by_samples() const;
  [[nodiscard]] std::int64_t samples_per_chunk() const;
  [[nodiscard]] float* scores_of(std::int64_t sample, std::int64_t head, const Scratch& own) const;

  void project_qkv(std::int64_t begin, std::int64_t end);
  void attend(std::int64_t sample, std::int64_t head, const Scratch& own);
  void project_output(std::int64_t begin, std::int64_t end);

  void output_backward(std::int64_t begin, std::int64_t end, float* context_gradient);
  void attend_backward(std::int64_t sample, std::int64_t head, const float* context_gradient,
                       const Scratch& own);
  void qkv_backward(std::int64_t begin, std::int64_t end);
  void parameter_gradients(std::int64_t part, std::int64_t parts);

  AttentionShape shape_;
  bool keep_scores_;
  FloatArray qkv_;           ///< [rows, 3 · width]
  FloatArray scores_;        ///< [batch, heads, length, length], after softmax
  FloatArray context_;       ///< [rows, width], heads concatenated
  FloatArray qkv_gradient_;  ///< [rows, 3 · width]
  std::vector<Scratch> scratch_;
};

}  // namespace tensorette::bench
