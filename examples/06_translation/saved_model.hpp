/// \file
/// The model that a training run left. Before: translator.hpp. Next: commands.hpp.
#pragma once

#include <string>

#include "translator.hpp"

namespace tensorette::translation {

/// \throws Error if there is no such file, FormatError if it is damaged
[[nodiscard]] nn::Checkpoint load_checkpoint(const std::string& path);

/// The translator inside, in evaluation mode. \throws as above
[[nodiscard]] Translator load_translator(const std::string& path);

}  // namespace tensorette::translation
