#include "vector.hpp"

#include <cmath>
#include <limits>
#include <tensorette/tensor/create.hpp>

namespace tensorette::testing::onnx {
namespace {

using nlohmann::json;

DType dtype_of_name(const std::string& name) {
  if (name == "float32") return DType::f32;
  if (name == "float64") return DType::f64;
  if (name == "int64" || name == "int32") return DType::i64;
  if (name == "bool") return DType::boolean;
  throw NotOffered("elements of type " + name);
}

double number(const json& value) {
  if (!value.is_string()) return value.is_boolean() ? value.get<bool>() : value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw std::runtime_error("not a number: " + value.dump());
}

Tensor read_tensor(const json& value) {
  const Shape shape(value.at("shape").get<std::vector<Index>>());
  const DType dtype = dtype_of_name(value.at("dtype"));
  if (dtype == DType::i64) return from_vector(value.at("data").get<std::vector<Index>>(), shape);
  std::vector<double> numbers;
  for (const json& element : value.at("data")) numbers.push_back(number(element));
  return from_vector(numbers, shape).to(dtype);
}

std::vector<Tensor> read_list(const json& names, const json& values) {
  std::vector<Tensor> list;
  for (const json& name : names) {
    Tensor tensor;
    for (const json& value : values) {
      if (name != "" && value.at("name") == name) tensor = read_tensor(value);
    }
    list.push_back(tensor);
  }
  return list;
}

bool is_close(double actual, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

}  // namespace

const Tensor& Vector::input(std::size_t place) const {
  if (!has_input(place)) throw std::runtime_error(test + ": no input " + std::to_string(place));
  return inputs[place];
}

Vector read_vector(const json& json) {
  return {.test = json.at("test"),
          .op = json.at("op"),
          .attributes = json.at("attrs"),
          .inputs = read_list(json.at("node_inputs"), json.at("inputs")),
          .outputs = read_list(json.at("node_outputs"), json.at("outputs"))};
}

std::vector<Index> integers(const Tensor& x) {
  return x.to_vector<Index>();
}

std::vector<int> axes_in(const Tensor& x) {
  std::vector<int> axes;
  for (const Index axis : integers(x)) axes.push_back(static_cast<int>(axis));
  return axes;
}

bool agrees(const Tensor& actual, const Tensor& expected) {
  if (actual.shape() != expected.shape() || actual.dtype() != expected.dtype()) return false;
  if (!is_floating(expected.dtype())) {
    return actual.to(DType::i64).to_vector<Index>() == expected.to(DType::i64).to_vector<Index>();
  }
  const double tolerance = expected.dtype() == DType::f32 ? 1e-5 : 1e-10;
  const auto got = actual.to(DType::f64).to_vector<double>();
  const auto right = expected.to(DType::f64).to_vector<double>();
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_close(got[i], right[i], tolerance)) return false;
  }
  return true;
}

}  // namespace tensorette::testing::onnx
