#include "child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace tensorette::bench {
namespace {

std::system_error system_failure(int code, const std::string& what) {
  return {code, std::generic_category(), what};
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  // Closed in other children, so that each child's input ends when the driver closes it.
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw system_failure(errno, "pipe");
  return ends;
}

std::vector<std::string> changed_environment(const Environment& changes) {
  const auto is_changed = [&](std::string_view variable) {
    const auto name = std::string(variable.substr(0, variable.find('=')));
    const auto is_named = [&](const auto& pair) { return pair.first == name; };
    return std::find(changes.unset.begin(), changes.unset.end(), name) != changes.unset.end() ||
           std::any_of(changes.set.begin(), changes.set.end(), is_named);
  };
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_changed(*variable)) variables.emplace_back(*variable);
  }
  for (const auto& [name, value] : changes.set) variables.push_back(name + "=" + value);
  return variables;
}

}  // namespace

Child::Child(const std::filesystem::path& program, const Environment& environment)
    : name_(program.filename()) {
  // A child that has died must give an error, not end the driver.
  std::signal(SIGPIPE, SIG_IGN);
  const auto to_child = make_pipe();
  const auto from_child = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_child[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);

  std::vector<std::string> variables = changed_environment(environment);
  std::vector<char*> pointers;
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  std::string path = program;
  std::array<char*, 2> arguments{path.data(), nullptr};
  const int failure =
      posix_spawn(&process_, path.c_str(), &actions, nullptr, arguments.data(), pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  close(to_child[0]);
  close(from_child[1]);
  questions_.reset(fdopen(to_child[1], "w"));
  answers_.reset(fdopen(from_child[0], "r"));
  if (failure != 0) throw system_failure(failure, path);

  std::istringstream names(ask("list"));
  for (std::string row; names >> row;) rows_.push_back(row);
}

Child::~Child() {
  questions_.reset();
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

double Child::processor_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

bool Child::offers(const std::string& row) const {
  return std::find(rows_.begin(), rows_.end(), row) != rows_.end();
}

Answer Child::run(const std::string& row, double seconds) {
  std::istringstream words(ask(fmt::format("run {} {}", row, seconds)));
  std::string verdict;
  Answer answer{};
  if (words >> verdict && verdict == "ok" &&
      words >> answer.milliseconds >> answer.processor_milliseconds >> answer.steps >>
          answer.peak_megabytes) {
    return answer;
  }
  throw std::runtime_error(fmt::format("{}: {}: {}", name_, row, words.str()));
}

std::string Child::ask(const std::string& question) {
  fmt::print(questions_.get(), "{}\n", question);
  std::fflush(questions_.get());
  std::string answer;
  for (int c = std::fgetc(answers_.get()); c != '\n'; c = std::fgetc(answers_.get())) {
    if (c == EOF) throw std::runtime_error(name_ + " ended when asked '" + question + "'");
    answer.push_back(char(c));
  }
  return answer;
}

}  // namespace tensorette::bench
