// Files that appear whole or not at all.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <temporary_folder.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/io/atomic_file.hpp>
#include <tensorette/tensor/io/safetensors.hpp>
#include <tensorette_test.hpp>
#include <thread>
#include <type_traits>

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a closed file has its name and content and nothing else is left",
          "[tensor][io][field][D31]") {
  const TemporaryFolder folder;
  const std::string path = folder / "file";
  write_bytes(path, "old");
  AtomicFile file(path);
  file.write("new ");
  file.write("text");
  CHECK(read_bytes(path) == "old");
  file.close();
  CHECK(read_bytes(path) == "new text");
  CHECK(folder.file_count() == 1);
  CHECK_THROWS_WITH(file.write("more"), ContainsSubstring("closed already"));
  CHECK_THROWS_AS(file.close(), Error);
}

TEST_CASE("an unfinished file vanishes and destroys nothing", "[tensor][io][field][D31][F04]") {
  const TemporaryFolder folder;
  const std::string path = folder / "file";
  write_bytes(path, "old");
  try {
    AtomicFile file(path);
    file.write(std::string(100000, 'x'));
    throw std::runtime_error("something else went wrong");
  } catch (const std::runtime_error&) {
  }
  CHECK(read_bytes(path) == "old");
  CHECK(folder.file_count() == 1);
  STATIC_REQUIRE(std::is_nothrow_destructible_v<AtomicFile>);
}

TEST_CASE("a missing folder, and a folder in the file's place, are reported",
          "[tensor][io][field][D31]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(AtomicFile(folder / "missing/file"),
                    ContainsSubstring("missing/file: can't create a file in its folder: No such"));
  std::filesystem::create_directory(folder / "taken");
  CHECK_THROWS_WITH(AtomicFile(folder / "taken"), ContainsSubstring("it is no regular file"));
  CHECK(folder.file_count() == 1);
}

TEST_CASE("a folder that can't be written to is reported", "[tensor][io][field][D31]") {
  // The super-user may write everywhere but here.
  const std::string path = ::geteuid() == 0 ? "/proc/tensorette-test" : "/tensorette-test";
  CHECK_THROWS_WITH(AtomicFile(path), ContainsSubstring(path + ": can't create a file"));
}

namespace {

// Runs `body` in a process of its own; its exit code, or −1 if it was killed.
template <class Body>
int in_other_process(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a full disk is reported and the old file kept", "[tensor][io][field][D31][F04]") {
  const TemporaryFolder folder;
  const std::string path = folder / "file";
  write_bytes(path, "old");
  const int code = in_other_process([&] {
    // A limit on the size of files fails a write in the middle, as a full disk does.
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      AtomicFile file(path);
      file.write(std::string(10000, 'x'));
      file.close();
    } catch (const FormatError& error) {
      return std::string(error.what()).find("can't write: File too large") == std::string::npos ? 2
                                                                                                : 0;
    }
    return 1;
  });
  CHECK(code == 0);
  CHECK(read_bytes(path) == "old");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("a kill during saving leaves the old or the new file whole", "[tensor][io][field][D31]") {
  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  // Each file names its version in every element.
  const auto save_version = [&](int version) {
    Safetensors contents;
    for (const char* name : {"a", "b", "c"})
      contents.tensors.emplace(name, full({50000}, version, DType::i64));
    save_safetensors(path, contents);
  };
  save_version(0);
  for (int attempt = 0; attempt < 24; ++attempt) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int version = 1;; ++version) save_version(version);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200 + 613 * attempt));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    const Safetensors loaded = load_safetensors(path);
    REQUIRE(loaded.tensors.size() == 3);
    const Index version = loaded.tensors.at("a").at<Index>(0);
    for (const auto& [name, tensor] : loaded.tensors)
      for (const Index element : tensor.to_vector<Index>()) REQUIRE(element == version);
  }
  // What a kill leaves behind is not taken for a checkpoint.
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const auto extension = entry.path().extension();
    CHECK((extension == ".tmp" || entry.path() == path));
  }
  save_version(7);
  CHECK(load_safetensors(path).tensors.at("c").at<Index>(49999) == 7);
}
