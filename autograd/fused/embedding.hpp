/// \file
/// Rows of a table, scaled, as token vectors.
#pragma once

#include <optional>
#include <tensorette/autograd/variable.hpp>

namespace tensorette {

/// y = scale · W[ids]        table [rows, width], ids [..] -> [.., width]
///
/// dW collects scale · g at the rows of the ids; the row `padding` gets none.
/// \throws IndexError for an id outside the table
[[nodiscard]] Variable embedding(const Variable& table, const Tensor& ids, double scale = 1.0,
                                 std::optional<Index> padding = std::nullopt);

}  // namespace tensorette
