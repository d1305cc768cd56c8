#include "run_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <tensorette/tensor/error.hpp>

#include "operators.hpp"

namespace tensorette::testing::onnx {
namespace {

std::string shown(const Tensor& x) {
  std::ostringstream text;
  text << x;
  return fmt::format("{} {} {}", name_of(x.dtype()), tensorette::to_string(x.shape()), text.str());
}

/// What is wrong with the outputs; empty if nothing is.
std::string difference(const Vector& v, const std::vector<Tensor>& outputs) {
  for (std::size_t place = 0; place < v.outputs.size(); ++place) {
    if (!v.wants_output(place)) continue;
    if (place >= outputs.size()) return fmt::format("there is no output {}", place);
    if (!agrees(outputs[place], v.outputs[place])) {
      return fmt::format("output {} is {}, expected {}", place, shown(outputs[place]),
                         shown(v.outputs[place]));
    }
  }
  return "";
}

void run(const nlohmann::json& json, Summary& summary) {
  const std::string test = json.at("test");
  try {
    const Operator& compute = operator_named(json.at("op"));
    const Vector v = read_vector(json);
    const std::string wrong = difference(v, compute(v));
    if (wrong.empty()) {
      ++summary.right;
    } else {
      summary.wrong.push_back(test + ": " + wrong);
    }
  } catch (const NotOffered& reason) {
    ++summary.not_offered[reason.what()];
  } catch (const DTypeError& refusal) {
    // Types that the standard mixes or converts silently.
    ++summary.not_offered[refusal.what()];
  } catch (const std::exception& error) {
    summary.wrong.push_back(test + ": " + error.what());
  }
}

}  // namespace

Summary run_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no file of vectors " + path);
  Summary summary;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) run(nlohmann::json::parse(line), summary);
  }
  return summary;
}

std::string to_string(const Summary& summary) {
  std::string text = fmt::format("{} right, {} wrong\n", summary.right, summary.wrong.size());
  for (const std::string& wrong : summary.wrong) text += "wrong: " + wrong + "\n";
  for (const auto& [reason, count] : summary.not_offered) {
    text += fmt::format("not offered: {} ({})\n", reason, count);
  }
  return text;
}

}  // namespace tensorette::testing::onnx
