// curve: how a number went over one or several trainings, read from their logs.
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "support/atomic_file.hpp"
#include "support/line_chart.hpp"
#include "support/line_chart_text.hpp"
#include "support/terminal.hpp"
#include "text_file.hpp"

namespace tensorette::translation {
namespace {

struct Quantity {
  const char* key;
  const char* title;
  const char* unit;
};

Quantity quantity_of(LoggedValue value) {
  switch (value) {
    case LoggedValue::loss:
      return {"loss", "Training loss", "cross entropy per token"};
    case LoggedValue::learning_rate:
      return {"learning_rate", "Learning rate", "learning rate"};
    case LoggedValue::gradient_norm:
      return {"gradient_norm", "Norm of the gradients", "mean norm"};
    case LoggedValue::speed:
      return {"tokens_per_second", "Speed of training", "target tokens a second"};
    case LoggedValue::validation_loss:
      return {"validation_loss", "Loss of the validation pairs", "cross entropy per token"};
    case LoggedValue::validation_bleu:
      break;
  }
  return {"validation_bleu", "BLEU of the validation pairs", "BLEU"};
}

double number_or_nan(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

pictures::Series series_of(const std::string& path, const Quantity& quantity, bool by_update) {
  const std::string text = read_bytes(path);
  const std::vector<std::string_view> lines = lines_of(text);
  pictures::Series series{.name = path};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto json = nlohmann::json::parse(lines[i], nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("update") || !json.contains("seconds")) {
      // The last line may have been cut off with the process that wrote it.
      if (i + 1 == lines.size() && !text.ends_with('\n')) break;
      throw FormatError(fmt::format("{}:{}: this is no line of a training's log", path, i + 1));
    }
    if (!json.contains(quantity.key)) continue;
    series.x.push_back(by_update ? number_or_nan(json["update"])
                                 : number_or_nan(json["seconds"]) / 60);
    series.y.push_back(number_or_nan(json[quantity.key]));
  }
  if (series.x.empty()) {
    throw FormatError(fmt::format("{}: no line has {}; was the run shorter than its --log-every?",
                                  path, quantity.key));
  }
  return series;
}

}  // namespace

int curve(const CurveCommand& command) {
  const Quantity quantity = quantity_of(command.value);
  pictures::LineChart chart{.title = quantity.title,
                            .x_label = command.by_update ? "update" : "minutes of training",
                            .y_label = quantity.unit};
  for (const std::string& log : command.logs) {
    chart.series.push_back(series_of(log, quantity, command.by_update));
  }
  if (command.svg.empty()) {
    fmt::print("{}", pictures::line_chart_text(chart, pictures::detect_terminal(STDOUT_FILENO)));
  } else {
    pictures::write_file_atomically(command.svg, pictures::line_chart_svg(chart));
    fmt::print("written: {}\n", command.svg);
  }
  return 0;
}

}  // namespace tensorette::translation
