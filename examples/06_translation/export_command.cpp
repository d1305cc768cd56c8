#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/reduce.hpp>

#include "commands.hpp"
#include "saved_model.hpp"

namespace tensorette::translation {
namespace {

// The narrow formats round; f16 also ends at 65,504, which no weight may be turned away for.
void require_fits(const nn::Transformer& model, StoredType type) {
  if (type != StoredType::f16) return;
  constexpr double largest_half = 65'504;
  for (const auto& [name, tensor] : model.state_dict()) {
    const double largest = max(abs(tensor)).to(DType::f64).item<double>();
    if (!(largest <= largest_half)) {
      throw Error(fmt::format("export: {} holds {:g}, and f16 ends at {}; take bf16 or f32", name,
                              largest, largest_half));
    }
  }
}

}  // namespace

int export_weights(const ExportCommand& command) {
  nn::Checkpoint checkpoint = load_checkpoint(command.checkpoint);
  const Translator translator = translator_in(checkpoint, command.checkpoint);
  require_fits(translator.model, command.type);
  checkpoint.drop_training_state();
  checkpoint.metadata.erase("training_progress");
  checkpoint.save(command.output, command.type);
  fmt::print("written: {} ({} parameters, {:.1f} MB; {} was {:.1f} MB)\n", command.output,
             translator.model.parameter_count(),
             static_cast<double>(std::filesystem::file_size(command.output)) / 1e6,
             command.checkpoint,
             static_cast<double>(std::filesystem::file_size(command.checkpoint)) / 1e6);
  return 0;
}

}  // namespace tensorette::translation
