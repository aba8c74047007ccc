// SPDX-License-Identifier: MIT
#include "kernels/problem/input_text.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::problem {
namespace {

using namespace std::string_view_literals;

/// How compressed files and archives begin.
constexpr std::array<std::string_view, 5> compressed_beginnings{"\x1f\x8b"sv, "BZh"sv,
                                                                "\xfd"
                                                                "7zXZ\0"sv,
                                                                "\x28\xb5\x2f\xfd"sv, "PK\x03\x04"sv};

struct CloseArchive {
  void operator()(archive* file) const { archive_read_free(file); }
};

bool is_compressed(std::string_view text) {
  return std::any_of(compressed_beginnings.begin(), compressed_beginnings.end(),
                     [text](std::string_view beginning) { return text.starts_with(beginning); });
}

/// Half of the memory: what a small file may unpack to.
std::uint64_t most_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
}

std::vector<char> unpacked(const std::string& path, std::string_view packed) {
  const auto refuse = [&](archive* file) {
    const char* reason = archive_error_string(file);
    throw InputError(path, fmt::format("cannot be unpacked ({})", reason == nullptr ? "damaged" : reason),
                     "Unpack it first");
  };
  const std::unique_ptr<archive, CloseArchive> file(archive_read_new());
  archive_read_support_filter_all(file.get());
  archive_read_support_format_raw(file.get());
  archive_read_support_format_tar(file.get());
  archive_read_support_format_zip(file.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_memory(file.get(), packed.data(), packed.size()) != ARCHIVE_OK ||
      archive_read_next_header(file.get(), &entry) != ARCHIVE_OK)
    refuse(file.get());
  if (archive_format(file.get()) != ARCHIVE_FORMAT_RAW) {
    const char* name = archive_entry_pathname(entry);
    throw InputError(path,
                     fmt::format("an archive of files, the first of which is {}",
                                 name == nullptr ? "without a name" : fmt::format("'{:.60}'", name)),
                     "Unpack it, and give the file in it");
  }
  std::vector<char> result;
  std::vector<char> piece(1 << 20);
  for (;;) {
    const la_ssize_t size_bytes = archive_read_data(file.get(), piece.data(), piece.size());
    if (size_bytes < 0) refuse(file.get());
    if (size_bytes == 0) return result;
    if (result.size() + static_cast<std::uint64_t>(size_bytes) > most_bytes())
      throw InputError(path,
                       fmt::format("is larger than {} when it is unpacked",
                                   format_size(static_cast<double>(most_bytes()))),
                       "Unpack it first");
    result.insert(result.end(), piece.begin(), piece.begin() + size_bytes);
  }
}

}  // namespace

std::filesystem::path without_compression(const std::filesystem::path& path) {
  static constexpr std::array<std::string_view, 5> endings{".gz", ".bz2", ".xz", ".zst", ".Z"};
  const bool is_packed = std::find(endings.begin(), endings.end(), path.extension()) != endings.end();
  return is_packed ? std::filesystem::path(path).replace_extension() : path;
}

InputText::InputText(const std::filesystem::path& path) : file_(path), text_(file_.text()) {
  if (is_compressed(text_)) {
    unpacked_ = unpacked(path.string(), text_);
    text_ = {unpacked_.data(), unpacked_.size()};
  }
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  if (text_.starts_with("\xff\xfe"sv) || text_.starts_with("\xfe\xff"sv))
    throw InputError(path.string(), "text in UTF-16 (UTF-8 and ASCII are read)",
                     fmt::format("Convert it: iconv -f UTF-16 -t UTF-8 {} >new", path.filename().string()));
  if (text_.find('\n') == std::string_view::npos && text_.find('\r') != std::string_view::npos) {
    std::vector<char> lines(text_.begin(), text_.end());
    std::replace(lines.begin(), lines.end(), '\r', '\n');
    unpacked_ = std::move(lines);
    text_ = {unpacked_.data(), unpacked_.size()};
  }
}

}  // namespace finegrain::problem
