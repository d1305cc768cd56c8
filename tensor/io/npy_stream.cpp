#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/detail/npy_stream.hpp>

namespace tensorette::detail {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_header = 1 << 20;  // a shape of 8 sizes takes some hundred bytes

struct NpyHeader {
  std::string descr;
  bool is_fortran = false;
  Shape shape;
};

// Reads the header's text, a Python dictionary such as
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
 public:
  HeaderParser(const std::string& context, std::string_view text)
      : context_(context), text_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !has_descr_) {
        header_.descr = quoted();
        has_descr_ = true;
      } else if (key == "fortran_order" && !has_order_) {
        header_.is_fortran = boolean();
        has_order_ = true;
      } else if (key == "shape" && !has_shape_) {
        header_.shape = shape();
        has_shape_ = true;
      } else {
        fail<FormatError>("{}: the header has an unknown or repeated field '{}'", context_, key);
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    require<FormatError>(has_descr_ && has_order_ && has_shape_ && text_.empty(),
                         "{}: the header is incomplete or has text behind it", context_);
    return header_;
  }

 private:
  void skip_space() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n'))
      text_.remove_prefix(1);
  }

  bool accept(char wanted) {
    skip_space();
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    require<FormatError>(accept(wanted), "{}: the header lacks a '{}' before \"{}\"", context_,
                         wanted, text_.substr(0, 20));
  }

  std::string quoted() {
    skip_space();
    const char quote = text_.starts_with('"') ? '"' : '\'';
    require<FormatError>(text_.starts_with(quote),
                         "{}: the header has no string before \"{}\"; structured arrays are not "
                         "supported",
                         context_, text_.substr(0, 20));
    const std::size_t end = text_.find(quote, 1);
    require<FormatError>(end != std::string_view::npos, "{}: a string in the header does not end",
                         context_);
    std::string result(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return result;
  }

  bool boolean() {
    skip_space();
    const bool value = text_.starts_with("True");
    const std::string_view name = value ? "True" : "False";
    require<FormatError>(text_.starts_with(name), "{}: fortran_order is neither True nor False",
                         context_);
    text_.remove_prefix(name.size());
    return value;
  }

  Shape shape() {
    Shape sizes;
    expect('(');
    while (!accept(')')) {
      require<FormatError>(sizes.rank() < max_rank, "{}: the array has more than {} axes", context_,
                           max_rank);
      sizes.push_back(size());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  Index size() {
    skip_space();
    Index value = 0;
    bool has_digits = false;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
      const Index digit = text_.front() - '0';
      require<FormatError>(value <= (std::numeric_limits<Index>::max() - digit) / 10,
                           "{}: a size of the shape is too large", context_);
      value = value * 10 + digit;
      has_digits = true;
      text_.remove_prefix(1);
    }
    require<FormatError>(has_digits, "{}: the shape has something else than a size at \"{}\"",
                         context_, text_.substr(0, 20));
    accept('L');  // Python 2 wrote long integers like this
    return value;
  }

  const std::string& context_;
  std::string_view text_;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

struct StoredFormat {
  StoredElement element;
  ByteOrder order;
};

StoredFormat format_of(const std::string& context, const std::string& descr) {
  struct Row {
    std::string_view code;
    StoredElement element;
  };
  constexpr std::array<Row, 11> rows = {{{"b1", StoredElement::boolean},
                                         {"i1", StoredElement::i8},
                                         {"u1", StoredElement::u8},
                                         {"i2", StoredElement::i16},
                                         {"u2", StoredElement::u16},
                                         {"i4", StoredElement::i32},
                                         {"u4", StoredElement::u32},
                                         {"i8", StoredElement::i64},
                                         {"f2", StoredElement::f16},
                                         {"f4", StoredElement::f32},
                                         {"f8", StoredElement::f64}}};
  if (!descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos) {
    const std::string_view code = std::string_view(descr).substr(1);
    for (const auto& [known, element] : rows) {
      // '|' says that there is no order, so it fits single bytes only.
      if (known == code && (descr[0] != '|' || size_of(element) == 1))
        return {element, descr[0] == '>' ? ByteOrder::big : ByteOrder::little};
    }
  }
  fail<FormatError>("{}: dtype '{}' is not supported", context, descr);
}

// The array whose elements in reversed order of axes are `stored`'s.
Tensor from_fortran_order(const Tensor& stored) {
  Shape shape = stored.shape();
  Strides strides = stored.strides();
  std::reverse(&shape[0], &shape[0] + shape.rank());
  std::reverse(&strides[0], &strides[0] + strides.rank());
  return Tensor(stored.storage(), shape, strides, stored.offset(), stored.dtype()).contiguous();
}

}  // namespace

Tensor read_npy(const std::string& context, const ByteSource& source, std::uint64_t bytes) {
  std::uint64_t left = bytes;
  const auto take = [&](std::size_t count) {
    require<FormatError>(count <= left, "{}: ends inside the header", context);
    left -= count;
    std::string text(count, '\0');
    source(std::as_writable_bytes(std::span(text)));
    return text;
  };
  const std::string start = take(magic.size() + 2);
  require<FormatError>(start.starts_with(magic), "{}: not an array of NumPy", context);
  const int version = static_cast<unsigned char>(start[magic.size()]);
  require<FormatError>(version >= 1 && version <= 3, "{}: format version {} is not known", context,
                       version);
  std::size_t length = 0;
  const std::string digits = take(version == 1 ? 2 : 4);
  for (std::size_t i = digits.size(); i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(digits[i]);
  require<FormatError>(length <= max_header, "{}: a header of {} bytes is too long", context,
                       length);
  const NpyHeader header = HeaderParser(context, take(length)).parse();

  const auto [element, order] = format_of(context, header.descr);
  const auto expected = stored_bytes(header.shape, element);
  require<FormatError>(expected == left, "{}: shape {} of dtype '{}' does not fit {} bytes of data",
                       context, header.shape, header.descr, left);
  Shape stored_shape = header.shape;
  if (header.is_fortran && stored_shape.rank() > 1) {
    std::reverse(&stored_shape[0], &stored_shape[0] + stored_shape.rank());
    return from_fortran_order(read_elements(context, source, stored_shape, element, order));
  }
  return read_elements(context, source, stored_shape, element, order);
}

std::string npy_header(const Tensor& tensor) {
  const auto descr = [&] {
    switch (tensor.dtype()) {
      case DType::f32:
        return "<f4";
      case DType::f64:
        return "<f8";
      case DType::i64:
        return "<i8";
      case DType::boolean:
        break;
    }
    return "|b1";
  };
  const Shape& shape = tensor.shape();
  std::string sizes;
  for (int axis = 0; axis < shape.rank(); ++axis)
    sizes += fmt::format("{}{}", axis == 0 ? "" : ", ", shape[axis]);
  if (shape.rank() == 1) sizes += ',';
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr(), sizes);
  // NumPy leaves room for the first size to grow to 21 digits, then fills up to 64 bytes.
  if (shape.rank() > 0) text.append(21 - std::to_string(shape[0]).size(), ' ');
  constexpr std::size_t before = 10;  // magic, version, length
  const std::size_t whole = (before + text.size() + 1 + 63) / 64 * 64;
  text.resize(whole - before - 1, ' ');
  text += '\n';

  std::string header(magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace tensorette::detail
