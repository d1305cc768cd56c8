/// \file
/// Numbers computed elsewhere, from the JSON files in tests/golden.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <tensorette/tensor/tensor.hpp>

namespace tensorette::testing {

/// A file of tests/golden.
[[nodiscard]] nlohmann::json golden_file(const std::string& name);
/// The case of that id in a list of cases.
[[nodiscard]] const nlohmann::json& golden_case(const nlohmann::json& cases, const std::string& id);
/// An f64 tensor from {"shape": [..], "data": [..]} or from nested lists. "-inf" stands for −∞.
[[nodiscard]] Tensor golden_tensor(const nlohmann::json& value);

}  // namespace tensorette::testing
