#include <tensorette/tensor/detail/require.hpp>
#include <tensorette/tensor/io/atomic_file.hpp>
#include <tensorette/tensor/io/detail/input_file.hpp>
#include <tensorette/tensor/io/detail/npy_stream.hpp>
#include <tensorette/tensor/io/detail/zip.hpp>
#include <tensorette/tensor/io/npy.hpp>

namespace tensorette {
namespace {

constexpr std::string_view suffix = ".npy";

void write_npy(const Tensor& tensor, const detail::ByteSink& sink) {
  const std::string header = detail::npy_header(tensor);
  sink(std::as_bytes(std::span(header)));
  detail::write_elements(tensor, detail::stored_as(tensor.dtype()), sink);
}

}  // namespace

Tensor load_npy(const std::string& path) {
  const detail::InputFile file("load_npy", path);
  std::uint64_t position = 0;
  const auto source = [&](std::span<std::byte> target) {
    file.read(position, target);
    position += target.size();
  };
  return detail::read_npy(file.context(), source, file.size());
}

void save_npy(const std::string& path, const Tensor& tensor) {
  detail::require<Error>(tensor.is_defined(), "save_npy: {}: the tensor is undefined", path);
  AtomicFile file(path);
  write_npy(tensor, [&](std::span<const std::byte> bytes) { file.write(bytes); });
  file.close();
}

std::map<std::string, Tensor> load_npz(const std::string& path) {
  const detail::InputFile file("load_npz", path);
  std::map<std::string, Tensor> tensors;
  for (const detail::ZipMember& member : detail::list_zip_members(file)) {
    const std::string context = fmt::format("{}: member '{}'", file.context(), member.name);
    detail::require<FormatError>(member.name.ends_with(suffix), "{}: not an array (.npy)", context);
    detail::ZipMemberReader reader(file, member);
    Tensor tensor = detail::read_npy(
        context, [&](std::span<std::byte> target) { reader.read(target); }, member.size);
    reader.finish();
    const std::string name = member.name.substr(0, member.name.size() - suffix.size());
    const bool is_new = tensors.emplace(name, std::move(tensor)).second;
    detail::require<FormatError>(is_new, "{}: there are two of this name", context);
  }
  return tensors;
}

void save_npz(const std::string& path, const std::map<std::string, Tensor>& tensors) {
  const std::string context = "save_npz: " + path;
  for (const auto& [name, tensor] : tensors) {
    detail::require<Error>(tensor.is_defined(), "{}: tensor '{}' is undefined", context, name);
    detail::require<Error>(name.size() + suffix.size() <= detail::max_zip_name,
                           "{}: a name of {} bytes is too long", context, name.size());
  }
  AtomicFile file(path);
  detail::ZipWriter zip([&](std::span<const std::byte> bytes) { file.write(bytes); });
  for (const auto& [name, tensor] : tensors) {
    zip.add(name + std::string(suffix),
            [&array = tensor](const detail::ByteSink& sink) { write_npy(array, sink); });
  }
  zip.finish();
  file.close();
}

}  // namespace tensorette
