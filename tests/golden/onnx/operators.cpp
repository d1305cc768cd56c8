#include "operators.hpp"

namespace tensorette::testing::onnx {

const Operator& operator_named(const std::string& name) {
  static const OperatorTable table = [] {
    OperatorTable all;
    add_elementwise_operators(all);
    add_reductions(all);
    add_shaping_operators(all);
    add_index_operators(all);
    add_neural_operators(all);
    add_attention_operator(all);
    add_optimisers(all);
    return all;
  }();
  const auto found = table.find(name);
  if (found == table.end()) throw NotOffered("operator " + name);
  return found->second;
}

}  // namespace tensorette::testing::onnx
