// Prints docs/operations.md from the table of operations.
#include <iostream>
#include <string>
#include <tensorette/autograd/op_table.hpp>

namespace {

// A cell of a Markdown table: bars would end it, angle brackets and stars would format it.
std::string cell(const char* text) {
  std::string result;
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c == '|' || *c == '*' || *c == '_' || *c == '[' || *c == ']') result.push_back('\\');
    result.push_back(*c);
  }
  return result;
}

const char* name_of(tensorette::Broadcast broadcast) {
  switch (broadcast) {
    case tensorette::Broadcast::full:
      return "all axes";
    case tensorette::Broadcast::batch:
      return "leading axes";
    case tensorette::Broadcast::none:
      break;
  }
  return "no";
}

}  // namespace

int main() {
  std::cout
      << "# All operations {#operations}\n\n"
         "Every operation that can stand in a graph: what it computes, the gradients of its inputs "
         "from the\ngradient g of its output, how often it can be differentiated, and which axes "
         "of "
         "its inputs it\nrepeats. This page is made from `autograd/op_table.cpp`.\n\n"
         "| Operation | Value | Gradients | Derivatives | Broadcasts |\n"
         "| --------- | ----- | --------- | ----------- | ---------- |\n";
  for (const tensorette::OpInfo& row : tensorette::op_table()) {
    std::cout << "| " << cell(row.name) << " | " << cell(row.formula) << " | " << cell(row.vjp)
              << " | " << (row.order >= 2 ? "any" : std::to_string(row.order).c_str()) << " | "
              << name_of(row.broadcast) << " |\n";
  }
}
