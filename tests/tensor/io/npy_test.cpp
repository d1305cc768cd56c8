// NumPy's files. The bytes are those that NumPy 1.24 writes, or made from them by hand.
#include <byte_loader.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <temporary_folder.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/io/npy.hpp>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/shaping.hpp>
#include <tensorette_test.hpp>

using namespace tensorette;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

// A .npy file of version 1.0 whose dictionary is `dictionary`, filled up to 128 bytes.
std::string npy(std::string dictionary, const std::string& data_in_hex) {
  dictionary.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00v\x00", 10) + dictionary + '\n' + from_hex(data_in_hex);
}

std::string npy(const std::string& descr, const std::string& is_fortran, const std::string& shape,
                const std::string& data_in_hex) {
  return npy(
      "{'descr': '" + descr + "', 'fortran_order': " + is_fortran + ", 'shape': " + shape + ", }",
      data_in_hex);
}

struct Loading : ByteLoader<load_npy> {
  Loading() : ByteLoader{"load_npy"} {}
};

}  // namespace

TEST_CASE("arrays are written as NumPy writes them", "[tensor][io]") {
  const TemporaryFolder folder;
  const auto bytes = [&](const Tensor& x) {
    save_npy(folder / "x.npy", x);
    return read_bytes(folder / "x.npy");
  };
  CHECK(bytes(tensor({{1, 2, 3}, {4, 5, 6}})) ==
        npy("<f4", "False", "(2, 3)", "0000803f 00000040 00004040 00008040 0000a040 0000c040"));
  CHECK(bytes(scalar(2.5, DType::f64)) == npy("<f8", "False", "()", "0000000000000440"));
  CHECK(bytes(tensor({1, 0}, DType::boolean)) == npy("|b1", "False", "(2,)", "0100"));
  CHECK(bytes(zeros({0, 3}, DType::i64)) == npy("<i8", "False", "(0, 3)", ""));
  // Written by element, whatever the layout.
  CHECK(bytes(transpose(tensor({{1, 4}, {2, 5}, {3, 6}}))) ==
        npy("<f4", "False", "(2, 3)", "0000803f 00000040 00004040 00008040 0000a040 0000c040"));
}

TEST_CASE("arrays of both byte orders and both layouts are read", "[tensor][io]") {
  const Loading files;
  const Tensor big = files.load(npy(">f8", "True", "(2, 3)",
                                    "3ff0000000000000 4010000000000000 4000000000000000"
                                    "4014000000000000 4008000000000000 4018000000000000"));
  CHECK(big.dtype() == DType::f64);
  CHECK(big.shape() == Shape{2, 3});
  CHECK(big.is_contiguous());
  CHECK(big.to_vector<double>() == std::vector<double>{1, 2, 3, 4, 5, 6});

  const auto integers = [&](const std::string& descr, const std::string& data) {
    return files.load(npy(descr, "False", "(2,)", data)).to_vector<Index>();
  };
  CHECK(integers(">i2", "0001fffe") == std::vector<Index>{1, -2});
  CHECK(integers("<i2", "0100feff") == std::vector<Index>{1, -2});
  CHECK(integers("|i1", "01ff") == std::vector<Index>{1, -1});
  CHECK(integers("|u1", "01ff") == std::vector<Index>{1, 255});
  CHECK(integers("<u2", "0100ffff") == std::vector<Index>{1, 65535});
  CHECK(integers("<i4", "01000000ffffffff") == std::vector<Index>{1, -1});
  CHECK(integers(">u4", "00000001ffffffff") == std::vector<Index>{1, 4294967295});
  CHECK(integers(">i8", "0000000000000001fffffffffffffffe") == std::vector<Index>{1, -2});
  CHECK(integers("=i2", "0100feff") == std::vector<Index>{1, -2});

  const auto halves = files.load(npy("<f2", "False", "(5,)", "003c 00c0 ff7b 0100 007c"));
  CHECK(halves.dtype() == DType::f32);
  CHECK(halves.to_vector<float>() ==
        std::vector<float>{1, -2, 65504, 0x1p-24F, std::numeric_limits<float>::infinity()});
  CHECK(files.load(npy(">f2", "False", "()", "3c00")).item<float>() == 1.0F);
  CHECK(files.load(npy(">f4", "False", "()", "3f800000")).item<float>() == 1.0F);
  CHECK(files.load(npy("|b1", "True", "(1,)", "01")).to_vector<bool>() == std::vector<bool>{true});
}

TEST_CASE("versions 2 and 3 and other spellings of the header are read", "[tensor][io]") {
  const Loading files;
  const std::string dictionary = "{'shape': (2L,), \"fortran_order\":False,'descr':'<i2'}";
  for (const char version : {'\x02', '\x03'}) {
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    bytes += static_cast<char>(dictionary.size());
    bytes += std::string(3, '\0');
    CHECK(files.load(bytes + dictionary + from_hex("0100feff")).to_vector<Index>() ==
          std::vector<Index>{1, -2});
  }
  CHECK_THAT(files.refusal(std::string("\x93NUMPY\x04\x00", 8) + std::string(200, ' ')),
             ContainsSubstring("format version 4 is not known"));
}

TEST_CASE("what is saved as npy is loaded", "[tensor][io]") {
  const TemporaryFolder folder;
  Generator generator(1);
  for (const Tensor& x :
       {generator.normal({3, 1, 4}), generator.normal({5}, 0, 1, DType::f64),
        generator.integers({2, 7}, -100, 100), generator.bernoulli({9}, 0.5), zeros({2, 0}),
        Tensor(generator.normal({1, 1, 1, 2, 1, 1, 1, 3})), scalar(1)}) {
    save_npy(folder / "x.npy", x);
    const Tensor back = load_npy(folder / "x.npy");
    CHECK(back.dtype() == x.dtype());
    CHECK(back.shape() == x.shape());
    CHECK(back.to(DType::f64).to_vector<double>() == x.to(DType::f64).to_vector<double>());
  }
}

TEST_CASE("foreign and damaged arrays are refused by name and reason", "[tensor][io]") {
  const Loading files;
  CHECK(files.refusal("") == "ends inside the header");
  CHECK(files.refusal("not an array at all") == "not an array of NumPy");
  CHECK(files.refusal(std::string("\x93NUMPY\x01\x00\xff\xff", 10)) == "ends inside the header");
  const auto descr = [&](const std::string& code, const std::string& data) {
    return files.refusal(npy(code, "False", "(1,)", data));
  };
  CHECK(descr("<c8", "0000000000000000") == "dtype '<c8' is not supported");
  CHECK(descr("|O", "00") == "dtype '|O' is not supported");
  CHECK(descr("<u8", "0000000000000000") == "dtype '<u8' is not supported");
  CHECK(descr("<U1", "00000000") == "dtype '<U1' is not supported");
  CHECK(descr("|i2", "0000") == "dtype '|i2' is not supported");
  CHECK(descr("", "00") == "dtype '' is not supported");
  CHECK(descr("|b1", "02") == "boolean element 0 is neither 0 nor 1");
  CHECK(descr("<f4", "000000") == "shape [1] of dtype '<f4' does not fit 3 bytes of data");
  CHECK(descr("<f4", "0000000000") == "shape [1] of dtype '<f4' does not fit 5 bytes of data");

  const auto shape = [&](const std::string& text) {
    return files.refusal(npy("<f4", "False", text, ""));
  };
  CHECK_THAT(shape("(9223372036854775807,)"), ContainsSubstring("does not fit 0 bytes"));
  CHECK_THAT(shape("(4294967296, 4294967296)"), ContainsSubstring("does not fit 0 bytes"));
  CHECK(shape("(9223372036854775808,)") == "a size of the shape is too large");
  CHECK(shape("(1,1,1,1,1,1,1,1,0)") == "the array has more than 8 axes");
  CHECK_THAT(shape("(-1,)"), ContainsSubstring("something else than a size at \"-1,)"));
  CHECK_THAT(shape("3"), ContainsSubstring("lacks a '('"));

  CHECK_THAT(files.refusal(
                 npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "00000000")),
             ContainsSubstring("structured arrays are not supported"));
  CHECK_THAT(files.refusal(npy("{'descr': '<f4', 'descr': '<f4'}", "")),
             ContainsSubstring("unknown or repeated field 'descr'"));
  CHECK_THAT(files.refusal(npy("{'descr': '<f4', 'shape': ()}", "")),
             ContainsSubstring("incomplete"));
  CHECK_THAT(files.refusal(npy("{'descr': '<f4', 'fortran_order': Maybe}", "")),
             ContainsSubstring("neither True nor False"));
  CHECK_THROWS_AS(load_npy(files.folder / "none.npy"), FormatError);
  CHECK_THROWS_AS(save_npy(files.path, Tensor()), Error);
  CHECK_THROWS_AS(save_npy(files.folder / "no/folder.npy", zeros({1})), FormatError);
}

TEST_CASE("damaged arrays load or are refused, and cost no memory", "[tensor][io]") {
  const Loading files;
  const std::string whole = npy("<f4", "True", "(2, 3)", std::string(48, '0'));
  std::mt19937 engine(2);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    for (auto flips = 1 + engine() % 3; flips > 0; --flips)
      damaged[engine() % damaged.size()] ^= static_cast<char>(1U << (engine() % 8));
    if (round % 4 == 0) damaged.resize(engine() % damaged.size());
    memory::reset_peak();
    const auto before = memory::statistics().live_bytes;
    try {
      (void)files.load(damaged);
    } catch (const FormatError&) {
    }
    REQUIRE(memory::statistics().live_bytes == before);
    REQUIRE(memory::statistics().peak_live_bytes - before < 2 * 4096);
  }
}
