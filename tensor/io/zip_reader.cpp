#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>
#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/detail/zip.hpp>

namespace tensorette::detail {
namespace {

// A part of the file in memory; numbers in it are little-endian.
class Record {
 public:
  explicit Record(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::uint64_t number(std::size_t position, std::size_t width) const noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(bytes_[position + i]);
    return value;
  }
  [[nodiscard]] std::uint64_t u16(std::size_t position) const noexcept {
    return number(position, 2);
  }
  [[nodiscard]] std::uint64_t u32(std::size_t position) const noexcept {
    return number(position, 4);
  }
  [[nodiscard]] std::uint64_t u64(std::size_t position) const noexcept {
    return number(position, 8);
  }
  [[nodiscard]] std::string_view text(std::size_t position, std::size_t length) const {
    return bytes_.substr(position, length);
  }

 private:
  std::string_view bytes_;
};

constexpr std::uint64_t local_signature = 0x04034b50;
constexpr std::uint64_t central_signature = 0x02014b50;
constexpr std::uint64_t end_signature = 0x06054b50;
constexpr std::uint64_t locator64_signature = 0x07064b50;
constexpr std::uint64_t end64_signature = 0x06064b50;
constexpr std::size_t local_size = 30;
constexpr std::size_t central_size = 46;
constexpr std::size_t end_size = 22;
constexpr std::size_t locator64_size = 20;
constexpr std::size_t end64_size = 56;
constexpr std::uint64_t in_extra_field = 0xFFFFFFFF;  // the number is in the 64-bit extension

std::string read_text(const InputFile& file, std::uint64_t position, std::uint64_t length) {
  require<FormatError>(position <= file.size() && length <= file.size() - position,
                       "{}: ends inside a zip record", file.context());
  std::string text(length, '\0');
  file.read(position, std::as_writable_bytes(std::span(text)));
  return text;
}

struct Directory {
  std::uint64_t position = 0;
  std::uint64_t size = 0;
  std::uint64_t members = 0;
};

// The 64-bit end record stands before the locator that stands before the end record.
Directory find_directory64(const InputFile& file, std::uint64_t end_position) {
  require<FormatError>(end_position >= locator64_size, "{}: the zip's 64-bit directory is missing",
                       file.context());
  const std::string locator_text = read_text(file, end_position - locator64_size, locator64_size);
  const Record locator(locator_text);
  require<FormatError>(locator.u32(0) == locator64_signature,
                       "{}: the zip's 64-bit directory is missing", file.context());
  const std::string end_text = read_text(file, locator.u64(8), end64_size);
  const Record end(end_text);
  require<FormatError>(end.u32(0) == end64_signature, "{}: the zip's 64-bit directory is damaged",
                       file.context());
  return {.position = end.u64(48), .size = end.u64(40), .members = end.u64(32)};
}

Directory find_directory(const InputFile& file) {
  // The end record is followed by a comment of up to 64 KiB and nothing else.
  const std::uint64_t tail_size = std::min<std::uint64_t>(file.size(), end_size + 65535);
  const std::string tail = read_text(file, file.size() - tail_size, tail_size);
  for (std::size_t at = tail.size(); at >= end_size; --at) {
    const std::size_t begin = at - end_size;
    const Record end(std::string_view(tail).substr(begin));
    if (end.u32(0) != end_signature || end.u16(20) != end.size() - end_size) continue;
    Directory directory{.position = end.u32(16), .size = end.u32(12), .members = end.u16(10)};
    const std::uint64_t end_position = file.size() - end.size();
    if (directory.position == in_extra_field || directory.size == in_extra_field ||
        directory.members == 0xFFFF)
      directory = find_directory64(file, end_position);
    require<FormatError>(
        directory.position <= end_position && directory.size <= end_position - directory.position,
        "{}: the zip's directory reaches past its end", file.context());
    return directory;
  }
  fail<FormatError>("{}: not a zip file, or cut off", file.context());
}

// Replaces numbers that did not fit into 32 bits by those of the extension, in the format's order.
void read_extension64(const std::string& context, const Record& extra, ZipMember& member,
                      std::uint64_t& header_position) {
  std::size_t at = 0;
  while (at + 4 <= extra.size()) {
    const std::size_t length = extra.u16(at + 2);
    require<FormatError>(length <= extra.size() - at - 4, "{}: its zip record is damaged", context);
    if (extra.u16(at) == 1) {
      std::size_t field = at + 4;
      const std::size_t end = field + length;
      for (std::uint64_t* number : {&member.size, &member.compressed_size, &header_position}) {
        if (*number != in_extra_field) continue;
        require<FormatError>(end - field >= 8, "{}: its zip record is damaged", context);
        *number = extra.u64(field);
        field += 8;
      }
      return;
    }
    at += 4 + length;
  }
}

void locate_data(const InputFile& file, const std::string& context, std::uint64_t header_position,
                 ZipMember& member) {
  const std::string text = read_text(file, header_position, local_size);
  const Record local(text);
  require<FormatError>(local.u32(0) == local_signature, "{}: its zip record is damaged", context);
  member.position = header_position + local_size + local.u16(26) + local.u16(28);
  require<FormatError>(
      member.position <= file.size() && member.compressed_size <= file.size() - member.position,
      "{}: reaches past the end of the file", context);
  // Deflate makes at most 1032 bytes from one; a larger claim would only make us allocate.
  const bool is_plausible = member.is_deflated ? member.size / 1032 <= member.compressed_size
                                               : member.size == member.compressed_size;
  require<FormatError>(is_plausible, "{}: {} bytes can't be the content of {} bytes", context,
                       member.size, member.compressed_size);
}

}  // namespace

std::vector<ZipMember> list_zip_members(const InputFile& file) {
  const Directory directory = find_directory(file);
  const std::string text = read_text(file, directory.position, directory.size);
  std::vector<ZipMember> members;
  std::uint64_t all_compressed = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Record central(std::string_view(text).substr(at));
    require<FormatError>(central.size() >= central_size && central.u32(0) == central_signature,
                         "{}: the zip's directory is damaged", file.context());
    const std::size_t name_size = central.u16(28);
    const std::size_t extra_size = central.u16(30);
    const std::size_t whole = central_size + name_size + extra_size + central.u16(32);
    require<FormatError>(whole <= central.size(), "{}: the zip's directory is damaged",
                         file.context());
    ZipMember member{.name = std::string(central.text(central_size, name_size)),
                     .is_deflated = central.u16(10) == Z_DEFLATED,
                     .checksum = static_cast<std::uint32_t>(central.u32(16)),
                     .compressed_size = central.u32(20),
                     .size = central.u32(24)};
    const std::string context = fmt::format("{}: member '{}'", file.context(), member.name);
    require<FormatError>((central.u16(8) & 1) == 0, "{}: is encrypted", context);
    require<FormatError>(member.is_deflated || central.u16(10) == 0,
                         "{}: compression method {} is not supported", context, central.u16(10));
    std::uint64_t header_position = central.u32(42);
    read_extension64(context, Record(central.text(central_size + name_size, extra_size)), member,
                     header_position);
    locate_data(file, context, header_position, member);
    all_compressed += member.compressed_size;
    require<FormatError>(all_compressed <= file.size(), "{}: shares its bytes with another member",
                         context);
    members.push_back(std::move(member));
    at += whole;
  }
  require<FormatError>(members.size() == directory.members,
                       "{}: the zip's directory has {} members, not {}", file.context(),
                       members.size(), directory.members);
  return members;
}

struct ZipMemberReader::Inflater {
  Inflater() {
    // Negative: raw deflate, without zlib's own header.
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }

  z_stream stream{};
  std::array<std::byte, 1 << 16> input;
  bool has_ended = false;
};

ZipMemberReader::ZipMemberReader(const InputFile& file, const ZipMember& member)
    : file_(file),
      member_(member),
      inflater_(member.is_deflated ? std::make_unique<Inflater>() : nullptr) {}

ZipMemberReader::~ZipMemberReader() = default;

void ZipMemberReader::fail_damaged(const char* what) const {
  fail<FormatError>("{}: member '{}': {}", file_.context(), member_.name, what);
}

void ZipMemberReader::read(std::span<std::byte> target) {
  if (target.size() > member_.size - given_) fail_damaged("ends too early");
  given_ += target.size();
  while (!target.empty()) {
    // zlib counts in 32 bits.
    const auto part = target.first(std::min<std::size_t>(target.size(), 1 << 30));
    if (inflater_) {
      inflate(part);
    } else {
      file_.read(member_.position + taken_, part);
      taken_ += part.size();
    }
    checksum_ = static_cast<std::uint32_t>(crc32(
        checksum_, reinterpret_cast<const Bytef*>(part.data()), static_cast<uInt>(part.size())));
    target = target.subspan(part.size());
  }
}

void ZipMemberReader::refill() {
  const std::uint64_t left = member_.compressed_size - taken_;
  const auto input =
      std::span(inflater_->input)
          .first(static_cast<std::size_t>(std::min<std::uint64_t>(left, inflater_->input.size())));
  file_.read(member_.position + taken_, input);
  taken_ += input.size();
  inflater_->stream.next_in = reinterpret_cast<Bytef*>(input.data());
  inflater_->stream.avail_in = static_cast<uInt>(input.size());
}

void ZipMemberReader::inflate(std::span<std::byte> target) {
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(target.data());
  stream.avail_out = static_cast<uInt>(target.size());
  while (stream.avail_out > 0) {
    if (inflater_->has_ended) fail_damaged("its compressed data end too early");
    if (stream.avail_in == 0) refill();
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END) fail_damaged("its compressed data are damaged");
    inflater_->has_ended = status == Z_STREAM_END;
  }
}

void ZipMemberReader::finish() {
  if (given_ != member_.size) fail_damaged("has more bytes than its array");
  if (checksum_ != member_.checksum) fail_damaged("its checksum is wrong");
}

}  // namespace tensorette::detail
