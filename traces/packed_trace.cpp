// SPDX-License-Identifier: MIT
#include "traces/packed_trace.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/manifest.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {
namespace {

/// A tar that begins with a manifest: the name, then that of the kind of tar.
FileKind packed_trace_kind() {
  return {"a packed trace", {".tar"}, [](std::string_view content) {
            constexpr std::size_t name_bytes = 100;
            constexpr std::size_t place_of_kind = 257;
            return content.substr(0, name_bytes).starts_with(manifest_file_name + std::string(1, '\0')) &&
                   content.size() > place_of_kind && content.substr(place_of_kind).starts_with("ustar");
          }};
}

struct ReadArchive {
  void operator()(archive* tar) const { archive_read_free(tar); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

}  // namespace

class PackedTraceWriter::State {
 public:
  State(const std::filesystem::path& file, Protection protection)
      : name_(file.string()), file_(file, packed_trace_kind(), std::move(protection)) {
    // Plain ustar, with an extension only for a file of 8 GiB and more.
    archive_write_set_format_pax_restricted(tar_.get());
    archive_write_add_filter_none(tar_.get());
    check(archive_write_open(tar_.get(), this, nullptr, write_to_file, nullptr) == ARCHIVE_OK);
  }
  ~State() { archive_write_fail(tar_.get()); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void begin_file(const std::string& name, std::uint64_t size_bytes) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size_bytes));
    archive_entry_set_mtime(entry.get(), 0, 0);
    check(archive_write_header(tar_.get(), entry.get()) == ARCHIVE_OK);
  }
  void write(std::span<const std::byte> piece) {
    check(archive_write_data(tar_.get(), piece.data(), piece.size()) ==
          static_cast<la_ssize_t>(piece.size()));
  }
  void commit() {
    check(archive_write_close(tar_.get()) == ARCHIVE_OK);
    file_.commit();
  }

 private:
  static la_ssize_t write_to_file(archive* tar, void* state_pointer, const void* buffer,
                                  std::size_t size_bytes) {
    auto& state = *static_cast<State*>(state_pointer);
    try {
      state.file_.write(std::span(static_cast<const std::byte*>(buffer), size_bytes));
      return static_cast<la_ssize_t>(size_bytes);
    } catch (...) {
      state.error_ = std::current_exception();
      archive_set_error(tar, EIO, "cannot be written");
      return -1;
    }
  }
  void check(bool went_well) const {
    if (went_well) return;
    if (error_) std::rethrow_exception(error_);
    throw InputError(name_, fmt::format("cannot be packed ({})", archive_error_string(tar_.get())));
  }

  struct FreeArchive {
    void operator()(archive* tar) const { archive_write_free(tar); }
  };

  std::string name_;
  AtomicFile file_;
  std::exception_ptr error_;  ///< write_to_file()'s: an exception must not cross libarchive's C frames
  std::unique_ptr<archive, FreeArchive> tar_{archive_write_new()};
};

PackedTraceWriter::PackedTraceWriter(const std::filesystem::path& file, Protection protection)
    : state_(std::make_unique<State>(file, std::move(protection))) {}
PackedTraceWriter::~PackedTraceWriter() = default;

void PackedTraceWriter::add(const std::string& name, std::span<const std::byte> content) {
  state_->begin_file(name, content.size());
  state_->write(content);
}

void PackedTraceWriter::add(const FileSlice& file, const std::string& name) {
  state_->begin_file(name, file.size_bytes());
  std::array<std::byte, 1 << 16> buffer{};
  for (std::uint64_t offset = 0; offset < file.size_bytes();) {
    const auto piece =
        std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), file.size_bytes() - offset));
    file.read(offset, piece);
    state_->write(piece);
    offset += piece.size();
  }
}

void PackedTraceWriter::commit() {
  state_->commit();
}

void pack_trace(const std::filesystem::path& folder, const std::filesystem::path& file, bool force) {
  read_manifest(folder);
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (belongs_to_trace(entry.path().filename().string())) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());

  PackedTraceWriter packed(file, {{folder}, force});
  for (const auto& path : paths)
    packed.add(FileSlice(path), path.filename().string());
  packed.commit();
}

std::string packed_name(const std::filesystem::path& file, const std::string& entry) {
  return fmt::format("{}({})", file.string(), entry);
}

std::map<std::string, FileSlice> packed_entries(const std::filesystem::path& file) {
  const FileSlice whole(file);
  const MappedFile mapped(file);
  const auto fail = [&](std::uint64_t byte, std::string_view problem) {
    throw InputError(fmt::format("{}: byte {}", file.string(), byte), std::string(problem),
                     "Give a trace's folder, or what finegrain trace pack made");
  };
  const std::unique_ptr<archive, ReadArchive> tar(archive_read_new());
  archive_read_support_format_tar(tar.get());
  if (mapped.bytes().empty()) fail(0, "is empty");
  if (archive_read_open_memory(tar.get(), mapped.bytes().data(), mapped.bytes().size()) != ARCHIVE_OK)
    fail(0, "is no packed trace");

  std::map<std::string, FileSlice> entries;
  archive_entry* entry = nullptr;
  for (;;) {
    const int status = archive_read_next_header(tar.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    const auto header_byte = static_cast<std::uint64_t>(archive_read_header_position(tar.get()));
    if (status != ARCHIVE_OK)
      fail(header_byte, fmt::format("the tar is damaged ({})", archive_error_string(tar.get())));
    const char* pathname = archive_entry_pathname(entry);
    const std::string name = pathname != nullptr ? pathname : "";
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr ||
        archive_entry_sparse_count(entry) != 0 || !belongs_to_trace(name))
      fail(header_byte, fmt::format("'{}' is no file of a trace", name));

    // Read from memory and not compressed, an entry's data is the mapped file's own bytes.
    const void* data = mapped.bytes().data();
    std::size_t size_bytes = 0;
    la_int64_t offset = 0;
    const la_int64_t entry_bytes = archive_entry_size(entry);
    if (entry_bytes > 0 && archive_read_data_block(tar.get(), &data, &size_bytes, &offset) != ARCHIVE_OK)
      fail(header_byte, fmt::format("'{}' is cut or damaged", name));
    const auto begin =
        static_cast<std::uint64_t>(static_cast<const std::byte*>(data) - mapped.bytes().data());
    if (static_cast<la_int64_t>(size_bytes) != entry_bytes || offset != 0 || begin > whole.size_bytes() ||
        size_bytes > whole.size_bytes() - begin)
      fail(header_byte, fmt::format("'{}' is cut or damaged", name));
    if (!entries.emplace(name, whole.part(begin, size_bytes, packed_name(file, name))).second)
      fail(header_byte, fmt::format("'{}' is there twice", name));
  }
  if (!entries.contains(manifest_file_name)) fail(mapped.bytes().size(), "has no manifest.json");
  return entries;
}

}  // namespace finegrain
