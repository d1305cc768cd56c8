// 06: translation. A Transformer learns English to French, and shows what it looks at.
//
// Run     bin/06_translation train                      the built-in corpus, about a minute
//         bin/06_translation translate "they stoned the witch"
//         bin/06_translation evaluate --json
//         bin/06_translation attention
// Leaves  build/demo/model.safetensors, report.html and metrics.json
#include "commands.hpp"

int main(int argc, char** argv) {
  return tensorette::translation::run_command_line(argc, argv);
}
