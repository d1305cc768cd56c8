// Drives a reduction: cuts it into jobs, runs them on threads, combines the parts in order.
// Before: reduce_plan.hpp, reduce_operations.hpp, reduce_rows.hpp.
//
// The jobs are a function of the shape and the strides alone, and parts of one result are
// combined in the order of the elements, so the number of threads never shows in a result.
#pragma once

#include <algorithm>
#include <memory>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/tensor.hpp>

#include <tensorette/tensor/kernels/parallel.hpp>
#include <tensorette/tensor/kernels/reduce_rows.hpp>

namespace tensorette::kernels {

template <class Op>
class Reducer {
 public:
  using Element = typename Op::Element;
  using Total = typename Op::Total;
  using Result = typename Op::Result;

  /// `parameters` is dense like the result, and null unless Op::has_parameter.
  Reducer(const Op& op, const ReducePlan& plan, const Element* x, const Element* parameters,
          Result* result)
      : op_(op), plan_(plan), x_(x), parameters_(parameters), result_(result) {}

  void run() {
    if (plan_.result_count == 0) return;
    if (plan_.reduced_count == 0) {
      for (Index i = 0; i < plan_.result_count; ++i) finish(i, identity_of<Op>());
      return;
    }
    cut();
    if (chunks_ == 1)
      run_jobs();
    else
      run_in_chunks();
  }

 private:
  // Below this many elements a second thread costs more than it brings.
  static constexpr Index elements_per_job = 2 * elements_per_thread;
  static constexpr Index most_chunks = 64;
  static constexpr Index enough_jobs = 16;
  static constexpr Index chunk_unit = 128;  // chunks end where blocks of rows end
  // Tables of at most so many columns are too narrow for whole packs.
  static constexpr Index most_narrow = 16;

  void cut() {
    outer_ = plan_.kept.count();
    tiles_ = (plan_.columns + column_tile - 1) / column_tile;
    chunk_ = plan_.reduced_count;
    const Index elements = plan_.result_count * plan_.reduced_count;
    if (outer_ * tiles_ < enough_jobs && elements > 2 * elements_per_job) {
      const Index wanted = std::min(most_chunks, elements / elements_per_job);
      const Index length = (plan_.reduced_count + wanted - 1) / wanted;
      chunk_ = (length + chunk_unit - 1) / chunk_unit * chunk_unit;
    }
    chunks_ = (plan_.reduced_count + chunk_ - 1) / chunk_;
  }

  // The total of one chunk; the only chunk's total is final.
  void store(Index chunk, Index at, Total total) {
    if (chunks_ == 1)
      finish(at, total);
    else
      parts_[chunk * plan_.result_count + at] = total;
  }

  void finish(Index at, Total total) { result_[at] = op_.finish(total, parameter(at)); }

  [[nodiscard]] Element parameter(Index at) const {
    if constexpr (Op::has_parameter)
      return parameters_[at];
    else
      return Element{};
  }

  void run_in_chunks() {
    const auto bytes = static_cast<std::size_t>(chunks_ * plan_.result_count) * sizeof(Total);
    const auto free = [bytes](Total* block) { memory::deallocate(block, bytes); };
    const std::unique_ptr<Total, decltype(free)> parts(static_cast<Total*>(memory::allocate(bytes)),
                                                       free);
    parts_ = parts.get();
    run_jobs();
    for (Index at = 0; at < plan_.result_count; ++at) {
      Total total = parts_[at];
      for (Index chunk = 1; chunk < chunks_; ++chunk)
        total = Op::combine(total, parts_[chunk * plan_.result_count + at]);
      finish(at, total);
    }
  }

  // One job: a tile of columns of one outer iteration, over one chunk of the reduced elements.
  void run_jobs() {
    const Index jobs = chunks_ * tiles_ * outer_;
    const Index job_elements = std::min(plan_.columns, column_tile) * chunk_;
    const Index grain = std::max<Index>(1, elements_per_job / job_elements);
    parallel_for(jobs, grain, [&](Index begin, Index end) {
      while (begin < end) {
        const Index part = begin / outer_;
        const Index first = begin - part * outer_;
        const Index last = std::min(outer_, first + (end - begin));
        run_part(part / tiles_, part % tiles_, first, last);
        begin += last - first;
      }
    });
  }

  void run_part(Index chunk, Index tile, Index first, Index last) {
    const Index from = chunk * chunk_;
    const Index to = std::min(plan_.reduced_count, from + chunk_);
    const Index input_step = plan_.kept.inner_input();
    const Index output_step = plan_.kept.inner_output();
    for_each_run(plan_.kept, first, last, [&](Index input, Index output, Index length) {
      for (Index i = 0; i < length; ++i, input += input_step, output += output_step) {
        if (plan_.pattern == ReducePattern::rows) {
          store(chunk, output, row_total(x_ + input, from, to, parameter(output)));
        } else {
          const Index column = tile * column_tile;
          const Index columns = std::min(column_tile, plan_.columns - column);
          reduce_columns(x_ + input + column * plan_.column_input, columns, from, to,
                         output + column * plan_.column_output, chunk);
        }
      }
    });
  }

  [[nodiscard]] Total row_total(const Element* x, Index from, Index to, Element p) const {
    const Index step = plan_.reduced.inner_input();
    if (plan_.reduced.rank <= 1) return reduce_row<Op>(x + from * step, to - from, step, p);
    Total total = identity_of<Op>();
    for_each_run(plan_.reduced, from, to, [&](Index input, Index, Index length) {
      total = Op::combine(total, reduce_row<Op>(x + input, length, step, p));
    });
    return total;
  }

  void reduce_columns(const Element* x, Index columns, Index from, Index to, Index output,
                      Index chunk) {
    const Index row_step = plan_.reduced.inner_input();
    const bool is_narrow = columns <= most_narrow && plan_.column_input == 1 &&
                           row_step == columns && plan_.reduced.rank == 1 &&
                           to - from >= 16 * most_narrow;
    const Index output_step = plan_.column_output;
    if (is_narrow) {
      const auto totals = narrow_totals(x + from * row_step, columns, to - from, output);
      for (Index c = 0; c < columns; ++c)
        store(chunk, output + c * output_step, totals[static_cast<std::size_t>(c)]);
      return;
    }
    const TileParameters parameters = parameters_of(columns, columns, output);
    ColumnAccumulator<Op> accumulator(columns, plan_.column_input, parameters.data());
    for_each_run(plan_.reduced, from, to, [&](Index input, Index, Index length) {
      accumulator.add_rows(x + input, length, row_step);
    });
    accumulator.finish(
        [&](Index column, Total total) { store(chunk, output + column * output_step, total); });
  }

  using NarrowTotals = std::array<Total, static_cast<std::size_t>(most_narrow)>;

  // A narrow dense table is read as fewer, wider rows, whose pieces meet at the end.
  [[nodiscard]] NarrowTotals narrow_totals(const Element* x, Index columns, Index rows,
                                           Index output) const {
    const Index pieces = 4 * most_narrow / columns;
    const Index width = columns * pieces;
    const TileParameters parameters = parameters_of(width, columns, output);
    ColumnAccumulator<Op> accumulator(width, 1, parameters.data());
    accumulator.add_rows(x, rows / pieces, width);
    NarrowTotals totals;
    totals.fill(identity_of<Op>());
    const auto add = [&](Index column, Total total) {
      Total& sum = totals[static_cast<std::size_t>(column % columns)];
      sum = Op::combine(sum, total);
    };
    accumulator.finish(add);
    for (Index i = rows / pieces * width; i < rows * columns; ++i)
      add(i, reduce_dense_row<Op>(x + i, 1, parameter(output + i % columns * plan_.column_output)));
    return totals;
  }

  // The parameters of `columns` results, side by side and over again up to `width`.
  using TileParameters =
      std::array<Element, static_cast<std::size_t>(Op::has_parameter ? column_tile : 0)>;
  [[nodiscard]] TileParameters parameters_of(Index width, Index columns, Index output) const {
    TileParameters parameters;
    if constexpr (Op::has_parameter)
      for (Index c = 0; c < width; ++c)
        parameters[static_cast<std::size_t>(c)] =
            parameters_[output + c % columns * plan_.column_output];
    return parameters;
  }

  const Op& op_;
  const ReducePlan& plan_;
  const Element* x_;
  const Element* parameters_;
  Result* result_;
  Index outer_ = 1;         // iterations of the kept loops
  Index tiles_ = 1;         // tiles of columns
  Index chunk_ = 1;         // reduced elements in one job
  Index chunks_ = 1;        // jobs per result
  Total* parts_ = nullptr;  // [chunks, results]
};

/// The elements as a kernel reads them: booleans are bytes.
template <class T>
[[nodiscard]] const T* elements_of(const Tensor& x) {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return reinterpret_cast<const std::uint8_t*>(x.data<bool>());
  else
    return x.data<T>();
}

/// Reduces x; `parameters` is dense and has the shape of the result.
template <class Op>
[[nodiscard]] Tensor reduce(const Tensor& x, const CheckedReduction& reduction, const Op& op,
                            const Tensor* parameters = nullptr) {
  Tensor result(reduction.result, dtype_of<typename Op::Result>);
  const typename Op::Element* parameter = nullptr;
  if constexpr (Op::has_parameter) parameter = parameters->data<typename Op::Element>();
  Reducer<Op>(op, reduction.plan, elements_of<typename Op::Element>(x), parameter,
              result.mutable_data<typename Op::Result>())
      .run();
  return result;
}

}  // namespace tensorette::kernels
