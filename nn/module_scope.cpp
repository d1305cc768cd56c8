#include <tensorette/nn/module.hpp>

namespace tensorette::nn {
namespace {

// The modules that run on this thread. Paths are those inside the outermost one, found once when
// it begins.
struct Running {
  std::map<const void*, std::string> paths{};
  std::vector<std::string> stack{};
};
thread_local Running running;

}  // namespace

ModuleScope::ModuleScope(const Module& module) : is_outermost_(running.stack.empty()) {
  if (is_outermost_) {
    running.paths.clear();
    running.paths.emplace(&module, module.type_name());
    for (const auto& [path, child] : module.named_modules()) {
      running.paths.emplace(child, module.type_name() + "." + path);
    }
  }
  const auto found = running.paths.find(&module);
  // A module that its caller does not list among its parts.
  std::string path = found != running.paths.end() ? found->second
                                                  : running.stack.back() + "." + module.type_name();
  running.stack.push_back(std::move(path));
  try {
    scope_.emplace(running.stack.back());
  } catch (...) {
    running.stack.pop_back();
    throw;
  }
}

ModuleScope::~ModuleScope() {
  scope_.reset();
  running.stack.pop_back();
  if (is_outermost_) running.paths.clear();
}

}  // namespace tensorette::nn
