#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/detail/safetensors_header.hpp>
#include <utility>

namespace tensorette::detail {
namespace {

struct NamedElement {
  std::string_view name;
  StoredElement element;
};
constexpr std::array<NamedElement, 12> element_names = {{
    {"BOOL", StoredElement::boolean},
    {"I8", StoredElement::i8},
    {"U8", StoredElement::u8},
    {"I16", StoredElement::i16},
    {"U16", StoredElement::u16},
    {"F16", StoredElement::f16},
    {"BF16", StoredElement::bf16},
    {"I32", StoredElement::i32},
    {"U32", StoredElement::u32},
    {"F32", StoredElement::f32},
    {"F64", StoredElement::f64},
    {"I64", StoredElement::i64},
}};

// Takes the header token by token. Anything that the format does not know ends the parse at once,
// so that a hostile header costs no more memory than its own text.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& context) : context_(context) {}
  SafetensorsHeader result;

  bool start_object(std::size_t) override {
    if (place_ == Place::start) {
      place_ = Place::names;
    } else if (place_ == Place::name_seen) {
      place_ = name_ == safetensors_metadata_key ? Place::metadata : Place::fields;
    } else {
      refuse("an object");
    }
    return true;
  }

  bool key(string_t& key) override {
    if (place_ == Place::names) {
      require<FormatError>(names_.insert(key).second, "{}: the header has '{}' twice", context_,
                           key);
      name_ = key;
      place_ = Place::name_seen;
    } else if (place_ == Place::metadata) {
      require<FormatError>(!result.metadata.contains(key),
                           "{}: the header's metadata has '{}' twice", context_, key);
      metadata_key_ = key;
      place_ = Place::metadata_value;
    } else {
      start_field(key);
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::fields) {
      finish_entry();
      place_ = Place::names;
    } else {
      place_ = place_ == Place::metadata ? Place::names : Place::finished;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::shape)
      place_ = Place::sizes;
    else if (place_ == Place::data_offsets)
      place_ = Place::offsets;
    else
      refuse("an array");
    return true;
  }

  bool end_array() override {
    if (place_ == Place::offsets)
      require<FormatError>(offsets_.size() == 2, "{}: tensor '{}' has {} data_offsets, not 2",
                           context_, name_, offsets_.size());
    place_ = Place::fields;
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::metadata_value) {
      result.metadata.emplace(metadata_key_, value);
      place_ = Place::metadata;
    } else if (place_ == Place::dtype) {
      const auto* const found =
          std::find_if(element_names.begin(), element_names.end(),
                       [&](const NamedElement& row) { return row.name == value; });
      require<FormatError>(found != element_names.end(),
                           "{}: tensor '{}' has dtype {}, which is not supported", context_, name_,
                           value);
      element_ = found->element;
      place_ = Place::fields;
    } else {
      refuse("a string");
    }
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::sizes) {
      require<FormatError>(shape_->rank() < max_rank, "{}: tensor '{}' has more than {} axes",
                           context_, name_, max_rank);
      require<FormatError>(std::in_range<Index>(value), "{}: tensor '{}' has size {}", context_,
                           name_, value);
      shape_->push_back(static_cast<Index>(value));
    } else if (place_ == Place::offsets) {
      require<FormatError>(offsets_.size() < 2, "{}: tensor '{}' has more than 2 data_offsets",
                           context_, name_);
      offsets_.push_back(value);
    } else {
      refuse("a number");
    }
    return true;
  }

  bool number_integer(number_integer_t) override { return refuse("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return refuse("a fraction"); }
  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a boolean"); }
  bool binary(binary_t&) override { return refuse("binary data"); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    fail<FormatError>("{}: the header is not JSON (at byte {} of it)", context_, position);
  }

 private:
  enum class Place : std::uint8_t {
    start,
    names,
    name_seen,
    fields,
    dtype,
    shape,
    sizes,
    data_offsets,
    offsets,
    metadata,
    metadata_value,
    finished,
  };

  [[noreturn]] bool refuse(const char* what) const {
    if (place_ == Place::start)
      fail<FormatError>("{}: the header is {}, not an object", context_, what);
    fail<FormatError>("{}: the header has {} out of place in '{}'", context_, what, name_);
  }

  void start_field(const std::string& key) {
    const bool is_new = (key == "dtype" && !element_) || (key == "shape" && !shape_) ||
                        (key == "data_offsets" && !has_offsets_);
    require<FormatError>(is_new, "{}: tensor '{}' has an unknown or repeated field '{}'", context_,
                         name_, key);
    if (key == "dtype") {
      place_ = Place::dtype;
    } else if (key == "shape") {
      shape_.emplace();
      place_ = Place::shape;
    } else {
      has_offsets_ = true;
      place_ = Place::data_offsets;
    }
  }

  void finish_entry() {
    require<FormatError>(element_ && shape_ && has_offsets_,
                         "{}: tensor '{}' lacks one of dtype, shape and data_offsets", context_,
                         name_);
    result.entries.push_back({name_, *element_, *shape_, offsets_[0], offsets_[1]});
    element_.reset();
    shape_.reset();
    has_offsets_ = false;
    offsets_.clear();
  }

  const std::string& context_;
  Place place_ = Place::start;
  std::set<std::string> names_;
  std::string name_;
  std::string metadata_key_;
  std::optional<StoredElement> element_;
  std::optional<Shape> shape_;
  bool has_offsets_ = false;
  std::vector<std::uint64_t> offsets_;
};

void require_exact_cover(const std::string& context, std::vector<SafetensorsEntry>& entries,
                         std::uint64_t data_bytes) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t expected = 0;
  for (const SafetensorsEntry& entry : entries) {
    require<FormatError>(
        entry.begin <= entry.end && entry.end <= data_bytes,
        "{}: tensor '{}' has data_offsets [{}, {}] in a file with {} bytes of data", context,
        entry.name, entry.begin, entry.end, data_bytes);
    require<FormatError>(entry.begin == expected,
                         "{}: tensor '{}' begins at byte {} of the data, but the one before ends "
                         "at {}: {}",
                         context, entry.name, entry.begin, expected,
                         entry.begin < expected ? "they overlap" : "there is a hole");
    const auto bytes = stored_bytes(entry.shape, entry.element);
    require<FormatError>(bytes == entry.end - entry.begin,
                         "{}: tensor '{}' of shape {} and dtype {} has {} bytes of data", context,
                         entry.name, entry.shape, safetensors_name(entry.element),
                         entry.end - entry.begin);
    expected = entry.end;
  }
  require<FormatError>(expected == data_bytes, "{}: {} bytes of data belong to no tensor", context,
                       data_bytes - expected);
}

}  // namespace

std::string_view safetensors_name(StoredElement element) noexcept {
  for (const auto& [name, known] : element_names)
    if (known == element) return name;
  return "?";
}

SafetensorsHeader parse_safetensors_header(const std::string& context, std::string_view json,
                                           std::uint64_t data_bytes) {
  require<FormatError>(json.starts_with('{'), "{}: the header does not begin with '{{'", context);
  HeaderReader reader(context);
  nlohmann::json::sax_parse(json, &reader);
  require_exact_cover(context, reader.result.entries, data_bytes);
  return std::move(reader.result);
}

std::string format_safetensors_header(const std::string& context, const SafetensorsHeader& header) {
  std::string text = "{";
  const auto append = [&text](const std::string& name, const nlohmann::ordered_json& value) {
    if (text.size() > 1) text += ',';
    text += nlohmann::ordered_json(name).dump() + ':' + value.dump();
  };
  try {
    if (!header.metadata.empty()) append(safetensors_metadata_key, header.metadata);
    for (const SafetensorsEntry& entry : header.entries) {
      append(entry.name, {{"dtype", safetensors_name(entry.element)},
                          {"shape", std::vector<Index>(entry.shape.begin(), entry.shape.end())},
                          {"data_offsets", std::array{entry.begin, entry.end}}});
    }
  } catch (const nlohmann::json::exception&) {
    fail<FormatError>("{}: a name or metadata text is not valid UTF-8", context);
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace tensorette::detail
