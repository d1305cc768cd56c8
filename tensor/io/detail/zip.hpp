// The container of .npz files: what a zip file needs for arrays, on top of zlib. Members are stored
// or deflated; files and members above 4 GiB use the 64-bit extension. Source: PKWARE's
// APPNOTE.TXT, version 6.3.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tensorette/tensor/io/detail/input_file.hpp>
#include <tensorette/tensor/io/detail/stored_elements.hpp>
#include <vector>

namespace tensorette::detail {

inline constexpr std::size_t max_zip_name = 65535;

struct ZipMember {
  std::string name;
  bool is_deflated = false;
  std::uint32_t checksum = 0;         ///< CRC-32 of the content
  std::uint64_t compressed_size = 0;  ///< bytes in the file
  std::uint64_t size = 0;             ///< bytes of the content
  std::uint64_t position = 0;         ///< of its data in the file
};

/// What the file says it holds, checked against the file's size. \throws FormatError
[[nodiscard]] std::vector<ZipMember> list_zip_members(const InputFile& file);

/// Reads the content of one member from front to back.
class ZipMemberReader {
 public:
  ZipMemberReader(const InputFile& file, const ZipMember& member);
  ZipMemberReader(const ZipMemberReader&) = delete;
  ZipMemberReader& operator=(const ZipMemberReader&) = delete;
  ~ZipMemberReader();

  /// Fills `target` with the next bytes. \throws FormatError if they are not there.
  void read(std::span<std::byte> target);
  /// Checks that all was read and the checksum is right. \throws FormatError
  void finish();

 private:
  struct Inflater;

  void inflate(std::span<std::byte> target);
  void refill();
  [[noreturn]] void fail_damaged(const char* what) const;

  const InputFile& file_;
  ZipMember member_;
  std::uint64_t taken_ = 0;  // compressed bytes read from the file
  std::uint64_t given_ = 0;  // bytes of content handed out
  std::uint32_t checksum_ = 0;
  std::unique_ptr<Inflater> inflater_;
};

/// Writes a zip file from front to back, members stored. The same members give the same bytes: all
/// are dated 1 January 1980, the format's first day.
class ZipWriter {
 public:
  explicit ZipWriter(ByteSink sink) : sink_(std::move(sink)) {}

  /// `write_content` is called twice, first to learn size and checksum, and must write the same.
  void add(const std::string& name, const std::function<void(const ByteSink&)>& write_content);
  /// Writes the directory of members.
  void finish();

 private:
  void write(const std::string& bytes);

  struct Written {
    ZipMember member;
    std::uint64_t header_position;
  };
  ByteSink sink_;
  std::uint64_t position_ = 0;
  std::vector<Written> written_;
};

}  // namespace tensorette::detail
