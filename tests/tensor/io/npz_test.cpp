// Several arrays in one .npz file.
#include <byte_loader.hpp>
#include <random>
#include <temporary_folder.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/io/npy.hpp>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette_test.hpp>

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

// numpy.savez_compressed(file, a=numpy.zeros(300, 'f4'), b=numpy.array([1, 2, 3])) by NumPy 1.24.
std::string deflated_file() {
  return from_hex(
      "504b030414000000080000002100e93ab434500000003005000005001400612e6e7079010010003005000000"
      "00000050000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f5452"
      "9498179f5f94920a12774bcc294e058a17672416a402f91ac606063a9a3a0ab50a64032e8651300a46c12818"
      "220000504b030414000000080000002100bc91558e4d0000009800000005001400622e6e7079010010009800"
      "0000000000004d000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a1aea3a09e96"
      "5f54529498179f5f94920a12774bcc294e058a17672416a402f91ac63a9a3a0ab50a14002e4606086082d2cc"
      "501a00504b0102140314000000080000002100e93ab434500000003005000005000000000000000000000080"
      "0100000000612e6e7079504b0102140314000000080000002100bc91558e4d00000098000000050000000000"
      "000000000000800187000000622e6e7079504b05060000000002000200660000000b0100000000");
}

struct Loading : ByteLoader<load_npz> {
  Loading() : ByteLoader{"load_npz"} {}
};

std::string replaced(std::string bytes, std::size_t position, const std::string& by) {
  return bytes.replace(position, by.size(), by);
}

}  // namespace

TEST_CASE("deflated members written by NumPy are read", "[tensor][io]") {
  const Loading files;
  const auto arrays = files.load(deflated_file());
  REQUIRE(arrays.size() == 2);
  CHECK(arrays.at("a").to_vector<float>() == std::vector<float>(300, 0.0F));
  CHECK(arrays.at("b").to_vector<Index>() == std::vector<Index>{1, 2, 3});
}

TEST_CASE("stored members written by NumPy are read", "[tensor][io]") {
  // numpy.savez(file, a=numpy.array([1.5], 'f4')); its local header has the 64-bit extension.
  const Loading files;
  const auto arrays = files.load(from_hex(
      "504b03041400000000000000210054792e83840000008400000005001400612e6e707901001000840000"
      "00000000008400000000000000934e554d5059010076007b276465736372273a20273c6634272c202766"
      "6f727472616e5f6f72646572273a2046616c73652c20277368617065273a2028312c292c207d20202020"
      "202020202020202020202020202020202020202020202020202020202020202020202020202020202020"
      "20202020202020202020202020200a0000c03f504b010214031400000000000000210054792e83840000"
      "0084000000050000000000000000000000800100000000612e6e7079504b050600000000010001003300"
      "0000bb0000000000"));
  REQUIRE(arrays.size() == 1);
  CHECK(arrays.at("a").to_vector<float>() == std::vector<float>{1.5F});
}

TEST_CASE("what is saved as npz is loaded, and always the same bytes", "[tensor][io]") {
  const TemporaryFolder folder;
  Generator generator(1);
  const std::map<std::string, Tensor> arrays = {{"weights", generator.normal({20, 30})},
                                                {"layers/0/bias", zeros({0, 2}, DType::f64)},
                                                {"ids", generator.integers({4}, -9, 9)},
                                                {"größe", scalar(1, DType::boolean)}};
  save_npz(folder / "x.npz", arrays);
  const auto loaded = load_npz(folder / "x.npz");
  REQUIRE(loaded.size() == arrays.size());
  for (const auto& [name, tensor] : arrays) {
    CAPTURE(name);
    CHECK(loaded.at(name).dtype() == tensor.dtype());
    CHECK(loaded.at(name).shape() == tensor.shape());
    CHECK(loaded.at(name).to(DType::f64).to_vector<double>() ==
          tensor.to(DType::f64).to_vector<double>());
  }
  save_npz(folder / "y.npz", loaded);
  CHECK(read_bytes(folder / "x.npz") == read_bytes(folder / "y.npz"));
  CHECK(folder.file_count() == 2);
  save_npz(folder / "none.npz", {});
  CHECK(load_npz(folder / "none.npz").empty());
}

TEST_CASE("arrays that can't be saved leave the old file", "[tensor][io]") {
  const TemporaryFolder folder;
  write_bytes(folder / "x.npz", "old");
  CHECK_THROWS_WITH(save_npz(folder / "x.npz", {{"a", zeros({1})}, {"b", Tensor()}}),
                    ContainsSubstring("tensor 'b' is undefined"));
  CHECK_THROWS_AS(save_npz(folder / "x.npz", {{std::string(70000, 'n'), zeros({1})}}), Error);
  CHECK(read_bytes(folder / "x.npz") == "old");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("foreign and damaged npz files are refused by name and reason", "[tensor][io]") {
  const Loading files;
  const std::string whole = deflated_file();
  CHECK(files.refusal("") == "not a zip file, or cut off");
  CHECK(files.refusal("not a zip file, but long enough to hold its end record") ==
        "not a zip file, or cut off");
  CHECK(files.refusal(whole.substr(0, whole.size() - 1)) == "not a zip file, or cut off");
  // Positions in the file: directory at 267, its first entry's method at 277, sizes at 287.
  REQUIRE(whole.substr(267, 4) == "PK\x01\x02");
  CHECK(files.refusal(replaced(whole, 275, "\x01")) == "member 'a.npy': is encrypted");
  CHECK(files.refusal(replaced(whole, 277, "\x0c")) ==
        "member 'a.npy': compression method 12 is not supported");
  CHECK(files.refusal(replaced(whole, 283, "\x01")) == "member 'a.npy': its checksum is wrong");
  CHECK_THAT(files.refusal(replaced(whole, 291, from_hex("ffffff7f"))),
             ContainsSubstring("2147483647 bytes can't be the content of 80 bytes"));
  CHECK_THAT(files.refusal(replaced(whole, 287, from_hex("ffffff7f"))),
             ContainsSubstring("reaches past the end of the file"));
  CHECK(files.refusal(replaced(whole, 315, "txt")).find("not an array (.npy)") !=
        std::string::npos);
  CHECK_THAT(files.refusal(replaced(whole, 55, "\xff")),
             ContainsSubstring("member 'a.npy': its compressed data are damaged"));
  // Both members under one name.
  const std::size_t second = whole.rfind("b.npy");
  CHECK(files.refusal(replaced(whole, second, "a")) ==
        "member 'a.npy': there are two of this name");
  CHECK_THROWS_AS(load_npz(files.folder / "none.npz"), FormatError);
}

TEST_CASE("damaged npz files load or are refused, and cost no memory", "[tensor][io]") {
  const Loading files;
  const std::string whole = deflated_file();
  std::mt19937 engine(3);
  const auto try_to_load = [&](const std::string& bytes) {
    memory::reset_peak();
    const auto before = memory::statistics().live_bytes;
    bool has_loaded = true;
    try {
      (void)files.load(bytes);
    } catch (const FormatError&) {
      has_loaded = false;
    }
    REQUIRE(memory::statistics().live_bytes == before);
    REQUIRE(memory::statistics().peak_live_bytes - before < (1 << 20));
    return has_loaded;
  };
  for (std::size_t size = 0; size < whole.size(); ++size)
    REQUIRE_FALSE(try_to_load(whole.substr(0, size)));
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    for (auto flips = 1 + engine() % 3; flips > 0; --flips)
      damaged[engine() % damaged.size()] ^= static_cast<char>(1U << (engine() % 8));
    (void)try_to_load(damaged);
  }
}
