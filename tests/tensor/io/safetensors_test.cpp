// The safetensors format: round trips, bytes made by hand, and everything that can be wrong.
#include <byte_loader.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <temporary_folder.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/io/safetensors.hpp>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/shaping.hpp>
#include <tensorette_test.hpp>

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string length_and(const std::string& header) {
  std::string length;
  for (int i = 0; i < 8; ++i)
    length += static_cast<char>(static_cast<std::uint64_t>(header.size()) >> (8 * i) & 0xFF);
  return length + header;
}

// A file of this header and so many bytes of data.
std::string file_of(const std::string& header, std::size_t data_bytes) {
  return length_and(header) + std::string(data_bytes, '\0');
}

struct Loading : ByteLoader<load_safetensors> {
  Loading() : ByteLoader{"load_safetensors"} {}
};

const std::string f32_entry = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";

}  // namespace

TEST_CASE("what is saved is loaded", "[tensor][io]") {
  const TemporaryFolder folder;
  Generator generator(1);
  Safetensors contents;
  contents.tensors = {{"weights", generator.normal({3, 5})},
                      {"double", generator.normal({4}, 0, 1, DType::f64)},
                      {"ids", generator.integers({2, 2}, -5, 5)},
                      {"mask", generator.bernoulli({7}, 0.5)},
                      {"scalar", scalar(2.5)},
                      {"empty", zeros({0, 4})},
                      {"turned", transpose(generator.normal({3, 5}))},
                      {"a \"quoted\" näme/\n", zeros({1})}};
  contents.metadata = {{"format", "pt"}, {"ünïcode", "\"\\\t"}};
  save_safetensors(folder / "file", contents);
  const Safetensors loaded = load_safetensors(folder / "file");
  CHECK(loaded.metadata == contents.metadata);
  REQUIRE(loaded.tensors.size() == contents.tensors.size());
  for (const auto& [name, tensor] : contents.tensors) {
    CAPTURE(name);
    const Tensor& back = loaded.tensors.at(name);
    CHECK(back.dtype() == tensor.dtype());
    CHECK(back.shape() == tensor.shape());
    CHECK(back.to(DType::f64).to_vector<double>() == tensor.to(DType::f64).to_vector<double>());
  }
  CHECK(folder.file_count() == 1);
}

TEST_CASE("the bytes are the format's, in the reference's order", "[tensor][io]") {
  // Widest elements first, then by name; header padded to 8 bytes with spaces.
  const TemporaryFolder folder;
  Safetensors contents;
  contents.tensors = {{"b", from_vector<float>({1.0F})},
                      {"a", from_vector<float>({-2.0F})},
                      {"m", tensor({1, 0}, DType::boolean)},
                      {"i", from_vector<Index>({258})}};
  contents.metadata = {{"k", "v"}};
  save_safetensors(folder / "file", contents);
  std::string header =
      R"({"__metadata__":{"k":"v"},"i":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},)"
      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]},)"
      R"("m":{"dtype":"BOOL","shape":[2],"data_offsets":[16,18]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  CHECK(read_bytes(folder / "file") ==
        length_and(header) + from_hex("0201000000000000 000000c0 0000803f 0100"));

  save_safetensors(folder / "again", load_safetensors(folder / "file"));
  CHECK(read_bytes(folder / "again") == read_bytes(folder / "file"));
  save_safetensors(folder / "nothing", {});
  CHECK(read_bytes(folder / "nothing") == length_and("{}      "));
  CHECK(load_safetensors(folder / "nothing").tensors.empty());
}

TEST_CASE("other element types are converted exactly", "[tensor][io]") {
  const Loading files;
  const std::string header = R"({"f16":{"dtype":"F16","shape":[4],"data_offsets":[0,8]},)"
                             R"("bf16":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]},)"
                             R"("i32":{"dtype":"I32","shape":[1],"data_offsets":[12,16]},)"
                             R"("u32":{"dtype":"U32","shape":[1],"data_offsets":[16,20]},)"
                             R"("i16":{"dtype":"I16","shape":[1],"data_offsets":[20,22]},)"
                             R"("u16":{"dtype":"U16","shape":[1],"data_offsets":[22,24]},)"
                             R"("i8":{"dtype":"I8","shape":[1],"data_offsets":[24,25]},)"
                             R"("u8":{"dtype":"U8","shape":[1],"data_offsets":[25,26]}})";
  // 1, −2, the smallest half, infinity; 1, −3; −1 and the largest of each.
  const auto loaded =
      files.load(length_and(header) +
                 from_hex("003c 00c0 0100 007c 803f 40c0 ffffffff ffffffff ffff ffff ff ff"));
  CHECK(loaded.tensors.at("f16").to_vector<float>() ==
        std::vector<float>{1, -2, 0x1p-24F, std::numeric_limits<float>::infinity()});
  CHECK(loaded.tensors.at("bf16").to_vector<float>() == std::vector<float>{1, -3});
  const auto integer = [&](const char* name) { return loaded.tensors.at(name).at<Index>(0); };
  CHECK(integer("i32") == -1);
  CHECK(integer("u32") == 4294967295);
  CHECK(integer("i16") == -1);
  CHECK(integer("u16") == 65535);
  CHECK(integer("i8") == -1);
  CHECK(integer("u8") == 255);
}

TEST_CASE("floating tensors can be stored narrower", "[tensor][io]") {
  const TemporaryFolder folder;
  Safetensors contents;
  contents.tensors = {{"x", from_vector<double>({1.0 / 3, 1e10, -1e-10, std::nan("")})},
                      {"y", from_vector<float>({1.0F / 3})},
                      {"ids", from_vector<Index>({Index{1} << 40})}};
  const auto reload = [&](StoredType stored) {
    save_safetensors(folder / "file", contents, stored);
    return load_safetensors(folder / "file").tensors;
  };
  auto loaded = reload(StoredType::f16);
  CHECK(loaded.at("x").dtype() == DType::f32);
  CHECK(loaded.at("x").at<float>(0) == 0x1.554p-2F);
  CHECK(loaded.at("x").at<float>(1) == std::numeric_limits<float>::infinity());
  CHECK(loaded.at("x").at<float>(2) == 0.0F);
  CHECK(std::isnan(loaded.at("x").at<float>(3)));
  CHECK(loaded.at("ids").at<Index>(0) == Index{1} << 40);
  loaded = reload(StoredType::bf16);
  CHECK(loaded.at("x").at<float>(0) == 0x1.56p-2F);
  CHECK(loaded.at("y").at<float>(0) == 0x1.56p-2F);
  loaded = reload(StoredType::f32);
  CHECK(loaded.at("x").at<float>(0) == 1.0F / 3);
  loaded = reload(StoredType::as_is);
  CHECK(loaded.at("x").at<double>(0) == 1.0 / 3);
}

TEST_CASE("data_offsets that contradict shape, neighbours or file are refused",
          "[tensor][io][field][D33]") {
  const Loading files;
  const auto entry = [](const std::string& shape, const std::string& offsets) {
    return R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  CHECK(files.refusal(file_of(entry("[4]", "[0,4]"), 4)) ==
        "tensor 'a' of shape [4] and dtype F32 has 4 bytes of data");
  CHECK_THAT(files.refusal(file_of(entry("[2]", "[8,0]"), 8)),
             ContainsSubstring("tensor 'a' has data_offsets [8, 0] in a file with 8 bytes"));
  CHECK_THAT(files.refusal(file_of(entry("[4]", "[0,16]"), 8)),
             ContainsSubstring("has data_offsets [0, 16] in a file with 8 bytes of data"));
  CHECK_THAT(files.refusal(file_of(entry("[2]", "[4,12]"), 12)), ContainsSubstring("a hole"));
  CHECK(files.refusal(file_of(f32_entry, 12)) == "4 bytes of data belong to no tensor");
  CHECK_THAT(files.refusal(file_of(f32_entry, 4)), ContainsSubstring("a file with 4 bytes"));

  const std::string overlapping = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                  R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})";
  CHECK_THAT(files.refusal(file_of(overlapping, 12)), ContainsSubstring("they overlap"));
}

TEST_CASE("sizes that overflow are refused without an allocation", "[tensor][io][field][D33]") {
  const Loading files;
  const auto before = memory::statistics().live_bytes;
  memory::reset_peak();
  for (const char* shape :
       {"[4611686018427387904,4]", "[4294967296,4294967296]", "[9223372036854775807]",
        "[4611686018427387904,4611686018427387904,0]"}) {
    const std::string header =
        std::string(R"({"a":{"dtype":"F32","shape":)") + shape + R"(,"data_offsets":[0,0]}})";
    CHECK_THAT(files.refusal(file_of(header, 0)), ContainsSubstring("has 0 bytes of data"));
  }
  const std::string too_large =
      R"({"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]}})";
  CHECK(files.refusal(file_of(too_large, 8)) == "tensor 'a' has size 18446744073709551615");
  CHECK(memory::statistics().peak_live_bytes == before);
}

TEST_CASE("a wrong length of the header is refused", "[tensor][io][field][D33]") {
  const Loading files;
  CHECK(files.refusal("") == "0 bytes are too few for a safetensors file");
  CHECK(files.refusal("1234567") == "7 bytes are too few for a safetensors file");
  CHECK_THAT(files.refusal(std::string(8, '\xff')),
             ContainsSubstring("can't begin with a header of 18446744073709551615 bytes"));
  CHECK_THAT(files.refusal(from_hex("1000000000000000") + "{}"),
             ContainsSubstring("10 bytes can't begin with a header of 16 bytes"));
  CHECK_THAT(files.refusal(std::string(8, '\0')), ContainsSubstring("does not begin with '{'"));
  CHECK_THAT(files.refusal("PK\x03\x04 and so on, another format"),
             ContainsSubstring("not a safetensors file"));
}

TEST_CASE("a header that says something else is refused", "[tensor][io][field][D33]") {
  const Loading files;
  const auto refusal = [&](const std::string& header, std::size_t data = 8) {
    return files.refusal(file_of(header, data));
  };
  CHECK_THAT(refusal("[]"), ContainsSubstring("does not begin with '{'"));
  CHECK_THAT(refusal("{\"a\":"), ContainsSubstring("is not JSON"));
  CHECK_THAT(refusal("{} x"), ContainsSubstring("is not JSON"));
  CHECK_THAT(refusal("{\"\xff\":1}"), ContainsSubstring("is not JSON"));
  CHECK(refusal("{\"a\":7}") == "the header has a number out of place in 'a'");
  CHECK(refusal("{\"a\":[]}") == "the header has an array out of place in 'a'");
  CHECK_THAT(refusal("{\"a\":{}}"), ContainsSubstring("lacks one of dtype, shape"));
  CHECK_THAT(refusal(R"({"a":{"dtype":"F32","shape":[2]}})"), ContainsSubstring("lacks one of"));
  CHECK(refusal(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})") ==
        "tensor 'a' has dtype F8_E4M3, which is not supported");
  const auto with = [&](const std::string& shape, const std::string& offsets) {
    return refusal(R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets +
                   "}}");
  };
  CHECK(with("[-2]", "[0,8]") == "the header has a negative number out of place in 'a'");
  CHECK(with("[2.0]", "[0,8]") == "the header has a fraction out of place in 'a'");
  CHECK(with("[1e400]", "[0,8]").find("not JSON") != std::string::npos);
  CHECK(with("[NaN]", "[0,8]").find("not JSON") != std::string::npos);
  CHECK(with("[null]", "[0,8]") == "the header has null out of place in 'a'");
  CHECK(with("[[2]]", "[0,8]") == "the header has an array out of place in 'a'");
  CHECK(with("2", "[0,8]") == "the header has a number out of place in 'a'");
  CHECK(with("\"2\"", "[0,8]") == "the header has a string out of place in 'a'");
  CHECK(with("[2]", "[0]") == "tensor 'a' has 1 data_offsets, not 2");
  CHECK(with("[2]", "[0,8,8]") == "tensor 'a' has more than 2 data_offsets");
  CHECK(with("[2]", "true") == "the header has a boolean out of place in 'a'");
  CHECK(with("[1,1,1,1,1,1,1,1,2]", "[0,8]") == "tensor 'a' has more than 8 axes");
  CHECK(with("[1,1,1,1,1,1,1,2]", "[0,8]") == "loaded");
}

TEST_CASE("names and fields that appear twice are refused", "[tensor][io][field][D33]") {
  const Loading files;
  const std::string entry = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  CHECK(files.refusal(file_of("{" + entry + "," + entry + "}", 8)) == "the header has 'a' twice");
  CHECK(files.refusal(file_of(R"({"__metadata__":{"k":"1","k":"2"}})", 0)) ==
        "the header's metadata has 'k' twice");
  CHECK(files.refusal(file_of(
            R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8)) ==
        "tensor 'a' has an unknown or repeated field 'dtype'");
  CHECK(files.refusal(file_of(R"({"__metadata__":{"k":1}})", 0)) ==
        "the header has a number out of place in '__metadata__'");
}

TEST_CASE("booleans are 0 or 1", "[tensor][io]") {
  const Loading files;
  const std::string header = R"({"m":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})";
  CHECK(files.refusal(length_and(header) + from_hex("010002")) ==
        "tensor 'm': boolean element 2 is neither 0 nor 1");
}

TEST_CASE("files that can't be opened are refused by name", "[tensor][io]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(load_safetensors(folder / "none"),
                    ContainsSubstring("none: can't open: No such file"));
  CHECK_THROWS_WITH(load_safetensors(folder.path()), ContainsSubstring("not a regular file"));
}

TEST_CASE("contents that can't be saved leave the old file", "[tensor][io]") {
  const TemporaryFolder folder;
  const std::string path = folder / "file";
  write_bytes(path, "old");
  Safetensors contents;
  contents.tensors = {{"good", zeros({2})}, {"void", Tensor()}};
  CHECK_THROWS_WITH(save_safetensors(path, contents),
                    ContainsSubstring("tensor 'void' is undefined"));
  contents.tensors = {{"__metadata__", zeros({2})}};
  CHECK_THROWS_AS(save_safetensors(path, contents), Error);
  contents.tensors = {{"\xff", zeros({2})}};
  CHECK_THROWS_WITH(save_safetensors(path, contents), ContainsSubstring("not valid UTF-8"));
  contents.tensors = {};
  contents.metadata = {{"k", "\xc3"}};
  CHECK_THROWS_AS(save_safetensors(path, contents), FormatError);
  CHECK(read_bytes(path) == "old");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("damaged safetensors files load or are refused, and cost no memory",
          "[tensor][io][field][D33]") {
  const Loading files;
  Safetensors contents;
  contents.tensors = {
      {"first", ones({3, 2})}, {"second", tensor({1, 0, 1}, DType::boolean)}, {"third", arange(4)}};
  contents.metadata = {{"k", "v"}};
  save_safetensors(files.path, contents);
  const std::string whole = read_bytes(files.path);
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
    // Three tensors with header and rounding of the allocator; elements grow by 8 at most.
    REQUIRE(memory::statistics().peak_live_bytes - before <
            static_cast<std::int64_t>(8 * bytes.size()) + 3 * 4096);
    return has_loaded;
  };
  REQUIRE(try_to_load(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    REQUIRE_FALSE(try_to_load(whole.substr(0, size)));
  REQUIRE_FALSE(try_to_load(whole + '\0'));
  std::mt19937 engine(1);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    for (auto flips = 1 + engine() % 3; flips > 0; --flips)
      damaged[engine() % damaged.size()] ^= static_cast<char>(1U << (engine() % 8));
    (void)try_to_load(damaged);
  }
}
