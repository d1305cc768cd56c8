#include "saved_model.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "trainer.hpp"

namespace tensorette::translation {

nn::Checkpoint load_checkpoint(const std::string& path) {
  if (!std::filesystem::exists(path)) {
    throw Error(fmt::format(
        "{}: No such file: there is no trained model; run train (or ./dev demo) first", path));
  }
  return nn::Checkpoint::load(path);
}

Translator translator_in(const nn::Checkpoint& checkpoint, const std::string& path) {
  return naming_file(path, [&] {
    Translator translator = Translator::from_checkpoint(checkpoint);
    if (const auto name = broken_parameter(translator.model)) {
      throw FormatError(fmt::format("parameter \"{}\" has numbers that are not finite", *name));
    }
    translator.model.eval();
    return translator;
  });
}

Translator load_translator(const std::string& path) {
  return translator_in(load_checkpoint(path), path);
}

Translator load_untrained_translator(const std::string& path) {
  const nn::Checkpoint checkpoint = load_checkpoint(path);
  return naming_file(path, [&] {
    Translator translator = Translator::from_checkpoint(checkpoint);
    Generator generator(Trainer::options_in(checkpoint).seed);
    translator.model = nn::Transformer(translator.model.options(), generator);
    translator.model.eval();
    return translator;
  });
}

}  // namespace tensorette::translation
