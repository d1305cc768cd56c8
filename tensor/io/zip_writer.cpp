#include <zlib.h>

#include <algorithm>
#include <tensorette/tensor/io/detail/zip.hpp>

namespace tensorette::detail {
namespace {

constexpr std::uint64_t fits_32_bits = 0xFFFFFFFE;  // all ones mean: see the 64-bit extension

// Bytes of a record; numbers are written little-endian.
class RecordBuilder {
 public:
  RecordBuilder& number(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
    return *this;
  }
  RecordBuilder& u16(std::uint64_t value) { return number(value, 2); }
  RecordBuilder& u32(std::uint64_t value) { return number(value, 4); }
  RecordBuilder& u64(std::uint64_t value) { return number(value, 8); }
  /// A number, or all ones if it does not fit.
  RecordBuilder& u32_or_ones(std::uint64_t value) {
    return u32(std::min<std::uint64_t>(value, fits_32_bits + 1));
  }
  RecordBuilder& text(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

// The fields that local and central headers share, from "version needed" to the sizes.
void append_common_fields(RecordBuilder& record, const ZipMember& member, std::uint64_t version) {
  const bool is_ascii = std::all_of(member.name.begin(), member.name.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 128; });
  record.u16(version)
      .u16(is_ascii ? 0 : 1 << 11)  // bit 11: the name is UTF-8
      .u16(0)                       // stored
      .u16(0)                       // midnight
      .u16(1 << 5 | 1)              // 1 January 1980
      .u32(member.checksum)
      .u32_or_ones(member.compressed_size)
      .u32_or_ones(member.size);
}

// The 64-bit extension with the numbers that need it; empty if none does.
std::string extension64(std::initializer_list<std::uint64_t> numbers) {
  RecordBuilder content;
  for (const std::uint64_t number : numbers)
    if (number > fits_32_bits) content.u64(number);
  if (content.bytes().empty()) return {};
  return RecordBuilder().u16(1).u16(content.bytes().size()).text(content.bytes()).bytes();
}

}  // namespace

void ZipWriter::write(const std::string& bytes) {
  sink_(std::as_bytes(std::span(bytes)));
  position_ += bytes.size();
}

void ZipWriter::add(const std::string& name,
                    const std::function<void(const ByteSink&)>& write_content) {
  ZipMember member{.name = name};
  write_content([&](std::span<const std::byte> bytes) {
    member.size += bytes.size();
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min<std::size_t>(bytes.size(), 1 << 30));
      member.checksum = static_cast<std::uint32_t>(
          crc32(member.checksum, reinterpret_cast<const Bytef*>(part.data()),
                static_cast<uInt>(part.size())));
      bytes = bytes.subspan(part.size());
    }
  });
  member.compressed_size = member.size;

  const std::uint64_t header_position = position_;
  // A local header's extension holds both sizes or none.
  const std::string extension = extension64({member.size, member.compressed_size});
  RecordBuilder local;
  local.u32(0x04034b50);
  append_common_fields(local, member, extension.empty() ? 20 : 45);
  local.u16(name.size()).u16(extension.size()).text(name).text(extension);
  write(local.bytes());
  write_content([&](std::span<const std::byte> bytes) { sink_(bytes); });
  position_ += member.size;
  written_.push_back({std::move(member), header_position});
}

void ZipWriter::finish() {
  const std::uint64_t begin = position_;
  for (const auto& [member, header_position] : written_) {
    const std::string extension =
        extension64({member.size, member.compressed_size, header_position});
    RecordBuilder central;
    central.u32(0x02014b50).u16(3 << 8 | 45);  // made by: Unix, version 4.5
    append_common_fields(central, member, extension.empty() ? 20 : 45);
    central.u16(member.name.size()).u16(extension.size()).u16(0).u16(0).u16(0);
    central.u32(std::uint64_t{0100644} << 16).u32_or_ones(header_position);  // rw-r--r--
    central.text(member.name).text(extension);
    write(central.bytes());
  }
  const std::uint64_t size = position_ - begin;
  const std::uint64_t count = written_.size();
  if (begin > fits_32_bits || size > fits_32_bits || count >= 0xFFFF) {
    const std::uint64_t end64 = position_;
    write(RecordBuilder()
              .u32(0x06064b50)
              .u64(44)
              .u16(3 << 8 | 45)
              .u16(45)
              .u32(0)
              .u32(0)
              .u64(count)
              .u64(count)
              .u64(size)
              .u64(begin)
              .bytes());
    write(RecordBuilder().u32(0x07064b50).u32(0).u64(end64).u32(1).bytes());
  }
  write(RecordBuilder()
            .u32(0x06054b50)
            .u16(0)
            .u16(0)
            .u16(std::min<std::uint64_t>(count, 0xFFFF))
            .u16(std::min<std::uint64_t>(count, 0xFFFF))
            .u32_or_ones(size)
            .u32_or_ones(begin)
            .u16(0)
            .bytes());
}

}  // namespace tensorette::detail
