/// \file
/// The rows of the table with Tensorette, written as a user would write them.
#pragma once

#include <vector>

#include "row_program.hpp"

namespace tensorette::bench {

[[nodiscard]] std::vector<Row> tensorette_rows();

}  // namespace tensorette::bench
