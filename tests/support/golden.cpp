#include "golden.hpp"

#include <fstream>
#include <limits>
#include <tensorette/tensor/create.hpp>
#include <vector>

namespace tensorette::testing {
namespace {

double number(const nlohmann::json& value) {
  if (value.is_string() && value == "-inf") return -std::numeric_limits<double>::infinity();
  return value.get<double>();
}

void flatten(const nlohmann::json& value, std::vector<double>& flat) {
  if (!value.is_array()) {
    flat.push_back(number(value));
    return;
  }
  for (const nlohmann::json& item : value) flatten(item, flat);
}

}  // namespace

nlohmann::json golden_file(const std::string& name) {
  const std::string path = std::string(TENSORETTE_GOLDEN_DIR) + "/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no golden file " + path);
  return nlohmann::json::parse(file);
}

const nlohmann::json& golden_case(const nlohmann::json& cases, const std::string& id) {
  for (const nlohmann::json& entry : cases) {
    if (entry.at("id") == id) return entry;
  }
  throw std::runtime_error("no golden case " + id);
}

Tensor golden_tensor(const nlohmann::json& value) {
  std::vector<double> flat;
  if (value.is_object()) {
    flatten(value.at("data"), flat);
    return from_vector(flat, Shape(value.at("shape").get<std::vector<Index>>()));
  }
  Shape shape;
  for (const nlohmann::json* level = &value; level->is_array(); level = &level->front()) {
    shape.push_back(static_cast<Index>(level->size()));
  }
  flatten(value, flat);
  return from_vector(flat, shape);
}

}  // namespace tensorette::testing
