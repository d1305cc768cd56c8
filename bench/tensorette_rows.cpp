/// \file
/// The rows of the table with Tensorette, as a row program.
#include "rows/tensorette_rows.hpp"

int main(int argc, char** argv) {
  return tensorette::bench::run_row_program(tensorette::bench::tensorette_rows(), argc, argv);
}
