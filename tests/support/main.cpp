// The main of every test program. Catch2 2 compiles its runner here; version 3 brings it along.
#define CATCH_CONFIG_RUNNER
#include <tensorette_test.hpp>

int main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
