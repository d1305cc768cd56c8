/// \file
/// The operators of the ONNX standard, said with the library's operations.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "vector.hpp"

namespace tensorette::testing::onnx {

/// Computes the outputs of a vector from its inputs and attributes. \throws NotOffered
using Operator = std::function<std::vector<Tensor>(const Vector&)>;
using OperatorTable = std::map<std::string, Operator>;

void add_elementwise_operators(OperatorTable& table);
void add_reductions(OperatorTable& table);
void add_shaping_operators(OperatorTable& table);
void add_index_operators(OperatorTable& table);
void add_neural_operators(OperatorTable& table);
void add_attention_operator(OperatorTable& table);
void add_optimisers(OperatorTable& table);

/// All of them. \throws NotOffered for any other name
[[nodiscard]] const Operator& operator_named(const std::string& name);

}  // namespace tensorette::testing::onnx
