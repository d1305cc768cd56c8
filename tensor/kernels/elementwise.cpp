#include <algorithm>
#include <cstring>
#include <tensorette/tensor/kernels/elementwise.hpp>
#include <tensorette/tensor/kernels/elementwise_layout.hpp>

namespace tensorette::kernels {

namespace {

// Elements that are collected from scattered places before a kernel runs over them.
constexpr Index block_size = 512;
constexpr std::size_t block_bytes = static_cast<std::size_t>(block_size) * sizeof(double);

// Rows shorter than this are collected into blocks: a kernel call for each would cost more.
constexpr Index short_row = 32;

template <Index element_size>
void copy_element(std::byte* target, const std::byte* source) noexcept {
  std::memcpy(target, source, element_size);
}

template <Index element_size>
void copy_strided(std::byte* target, Index target_stride, const std::byte* source,
                  Index source_stride, Index count) noexcept {
  if (target_stride == element_size && source_stride == element_size) {
    std::memcpy(target, source, static_cast<std::size_t>(count * element_size));
    return;
  }
  for (Index i = 0; i < count; ++i)
    copy_element<element_size>(target + i * target_stride, source + i * source_stride);
}

void copy_strided(Index element_size, std::byte* target, Index target_stride,
                  const std::byte* source, Index source_stride, Index count) noexcept {
  if (element_size == 4) {
    copy_strided<4>(target, target_stride, source, source_stride, count);
  } else if (element_size == 8) {
    copy_strided<8>(target, target_stride, source, source_stride, count);
  } else {
    copy_strided<1>(target, target_stride, source, source_stride, count);
  }
}

// Walks one part of the elements, counted in the order of the layout, and runs the kernel on it.
class Walk {
 public:
  Walk(RunKernel kernel, const void* parameters, std::span<const Operand> inputs,
       const Operand& output, const Layout& layout) noexcept;

  void operator()(Index begin, Index end) const;

 private:
  // What a row of an operand is to a kernel.
  enum class Access {
    dense,      // over all axes, not only within the row
    single,     // one element for the whole tensor
    row,        // dense within the row
    repeated,   // one element for the row
    scattered,  // to be collected
  };
  struct Buffers {
    alignas(splat_bytes) std::byte bytes[max_operands][block_bytes];
  };

  void walk_rows(Index begin, Index end) const;
  void walk_blocks(Index begin, Index end) const;
  void begin_run(Run& run, Buffers& buffers) const;
  void collect(int i, Index begin, Index count, std::byte* target) const;
  [[nodiscard]] bool repeats_rows(int i) const noexcept {
    const Access access = access_[static_cast<std::size_t>(i)];
    return access != Access::dense && access != Access::single && layout_.repeats_rows(i);
  }
  void splat(int i, std::byte* target, const std::byte* element) const noexcept;
  [[nodiscard]] const Operand& operand(int i) const noexcept {
    return i < input_count_ ? inputs_[static_cast<std::size_t>(i)] : output_;
  }
  [[nodiscard]] std::byte* output_data() const noexcept {
    return const_cast<std::byte*>(output_.data);
  }

  RunKernel kernel_;
  const void* parameters_;
  std::span<const Operand> inputs_;
  const Operand& output_;
  const Layout& layout_;
  int input_count_;
  bool any_scattered_ = false;
  std::array<Access, max_operands> access_;
};

Walk::Walk(RunKernel kernel, const void* parameters, std::span<const Operand> inputs,
           const Operand& output, const Layout& layout) noexcept
    : kernel_(kernel),
      parameters_(parameters),
      inputs_(inputs),
      output_(output),
      layout_(layout),
      input_count_(static_cast<int>(inputs.size())) {
  for (int i = 0; i <= input_count_; ++i) {
    Access& access = access_[static_cast<std::size_t>(i)];
    const Index size = operand(i).element_size;
    const Index stride = layout.inner_stride(i);
    if (layout.is_dense(i, size)) {
      access = Access::dense;
    } else if (layout.is_single(i)) {
      access = Access::single;
    } else if (stride == size) {
      access = Access::row;
    } else if (stride == 0) {
      access = Access::repeated;
    } else {
      access = Access::scattered;
      any_scattered_ = true;
    }
  }
}

void Walk::operator()(Index begin, Index end) const {
  if (layout_.rank() == 1 || layout_.inner_size() >= short_row) {
    walk_rows(begin, end);
  } else {
    walk_blocks(begin, end);
  }
}

void Walk::splat(int i, std::byte* target, const std::byte* element) const noexcept {
  const Index size = operand(i).element_size;
  copy_strided(size, target, size, element, 0, static_cast<Index>(splat_bytes) / size);
}

// Sets what stays the same over all runs.
void Walk::begin_run(Run& run, Buffers& buffers) const {
  for (int i = 0; i < input_count_; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const bool repeats = access_[index] == Access::single || access_[index] == Access::repeated;
    run.input[index] = buffers.bytes[i];
    run.step[index] = repeats ? 0 : 1;
    if (access_[index] == Access::single) splat(i, buffers.bytes[i], operand(i).data);
  }
  run.output = buffers.bytes[input_count_];
}

// Row by row: most operands are read and written where they lie.
void Walk::walk_rows(Index begin, Index end) const {
  Buffers buffers;
  Run run;
  begin_run(run, buffers);
  const Index inner = layout_.inner_size();
  Index column = begin % inner;
  OperandCursor cursors[max_operands] = {
      {layout_, 0, begin / inner},
      {layout_, std::min(1, input_count_), begin / inner},
      {layout_, std::min(2, input_count_), begin / inner},
      {layout_, input_count_, begin / inner},
  };
  const auto first = [&](int i) {
    return cursors[i < input_count_ ? i : max_operands - 1].offset() +
           column * layout_.inner_stride(i);
  };
  for (Index position = begin; position < end; position += run.count) {
    run.count = std::min(inner - column, end - position);
    if (any_scattered_) run.count = std::min(run.count, block_size);
    for (int i = 0; i < input_count_; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const Operand& input = operand(i);
      if (access_[index] == Access::dense || access_[index] == Access::row) {
        run.input[index] = input.data + first(i);
      } else if (access_[index] == Access::repeated) {
        splat(i, buffers.bytes[i], input.data + first(i));
      } else if (access_[index] == Access::scattered) {
        copy_strided(input.element_size, buffers.bytes[i], input.element_size,
                     input.data + first(i), layout_.inner_stride(i), run.count);
      }
    }
    const bool scatter = access_[static_cast<std::size_t>(input_count_)] == Access::scattered;
    std::byte* const target = output_data() + first(input_count_);
    if (!scatter) run.output = target;
    kernel_(parameters_, run);
    if (scatter) {
      copy_strided(output_.element_size, target, layout_.inner_stride(input_count_), run.output,
                   output_.element_size, run.count);
    }
    column += run.count;
    if (column == inner) {
      column = 0;
      for (OperandCursor& cursor : cursors) cursor.advance();
    }
  }
}

// Copies between a block and the places of an operand, over many short rows.
template <class CopyRow>
void for_rows(const Layout& layout, int operand, Index begin, Index count, CopyRow&& copy_row) {
  const Index inner = layout.inner_size();
  OperandCursor cursor(layout, operand, begin / inner);
  Index column = begin % inner;
  for (Index done = 0; done < count;) {
    const Index length = std::min(inner - column, count - done);
    copy_row(done, cursor.offset() + column * layout.inner_stride(operand), length);
    done += length;
    column = 0;
    cursor.advance();
  }
}

// Brings `count` elements together that may lie in many rows.
void Walk::collect(int i, Index begin, Index count, std::byte* target) const {
  const Operand& input = operand(i);
  const Index size = input.element_size;
  for_rows(layout_, i, begin, count, [&](Index done, Index offset, Index length) {
    copy_strided(size, target + done * size, size, input.data + offset, layout_.inner_stride(i),
                 length);
  });
}

// Block by block over short rows: operands that are not dense are collected, those that repeat
// one row only once.
void Walk::walk_blocks(Index begin, Index end) const {
  Buffers buffers;
  Run run;
  begin_run(run, buffers);
  const Index inner = layout_.inner_size();
  const Index block = block_size / inner * inner;
  for (int i = 0; i < input_count_; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (access_[index] == Access::repeated) run.step[index] = 1;
    if (repeats_rows(i)) collect(i, 0, std::min(block, end), buffers.bytes[i]);
  }
  for (Index position = begin; position < end; position += run.count) {
    // Blocks begin with a row; only a thread's first may begin within one.
    const Index column = position % inner;
    run.count = std::min(column == 0 ? block : inner - column, end - position);
    for (int i = 0; i < input_count_; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const Operand& input = operand(i);
      const Index size = input.element_size;
      if (access_[index] == Access::dense) {
        run.input[index] = input.data + position * size;
      } else if (repeats_rows(i)) {
        run.input[index] = buffers.bytes[i] + column * size;
      } else if (access_[index] != Access::single) {
        collect(i, position, run.count, buffers.bytes[i]);
      }
    }
    const bool dense = access_[static_cast<std::size_t>(input_count_)] == Access::dense;
    const Index size = output_.element_size;
    if (dense) run.output = output_data() + position * size;
    kernel_(parameters_, run);
    if (dense) continue;
    for_rows(layout_, input_count_, position, run.count,
             [&](Index done, Index offset, Index length) {
               copy_strided(size, output_data() + offset, layout_.inner_stride(input_count_),
                            run.output + done * size, size, length);
             });
  }
}

}  // namespace

Operand operand_of(const Tensor& x) noexcept {
  const Index size = static_cast<Index>(size_of(x.dtype()));
  const Storage* storage = x.storage().get();
  return {storage->data() + x.offset() * size, size, &x.shape(), &x.strides()};
}

Operand operand_of(const Splat& splat, DType dtype) noexcept {
  static const Shape scalar_shape{};
  return {splat.data(), static_cast<Index>(size_of(dtype)), &scalar_shape, &scalar_shape};
}

void run_elementwise(RunKernel kernel, const void* parameters, Index grain,
                     std::span<const Operand> inputs, Tensor& output) {
  const Index count = output.element_count();
  if (count == 0) return;
  std::array<Operand, max_operands> operands;
  std::copy(inputs.begin(), inputs.end(), operands.begin());
  operands[inputs.size()] = operand_of(output);
  const Layout layout(std::span<const Operand>(operands.data(), inputs.size() + 1), output.shape());
  const Walk walk(kernel, parameters, inputs, operands[inputs.size()], layout);
  parallel_for(count, grain, walk);
}

}  // namespace tensorette::kernels
