/// \file
/// The model that a training run left. Before: translator.hpp. Next: commands.hpp.
#pragma once

#include <string>
#include <tensorette/tensor/error.hpp>

#include "translator.hpp"

namespace tensorette::translation {

/// \throws Error if there is no such file, FormatError if it is damaged
[[nodiscard]] nn::Checkpoint load_checkpoint(const std::string& path);

/// Gives what `body` gives; an error of the contents names the file too.
template <class Body>
auto naming_file(const std::string& path, Body&& body) {
  try {
    return body();
  } catch (const FormatError& error) {
    const std::string text = error.what();
    if (text.starts_with(path)) throw;
    throw FormatError(path + ": " + text);
  }
}

/// The translator inside, in evaluation mode. \throws FormatError naming the file, also where a
/// parameter is not finite
[[nodiscard]] Translator translator_in(const nn::Checkpoint& checkpoint, const std::string& path);

/// Both. \throws as above
[[nodiscard]] Translator load_translator(const std::string& path);

/// The same with the parameters it had before the training. \throws as above
[[nodiscard]] Translator load_untrained_translator(const std::string& path);

}  // namespace tensorette::translation
