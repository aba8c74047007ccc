// SPDX-License-Identifier: MIT
#include "traces/rank_file_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "traces/chunk_bytes.hpp"
#include "traces/io/descriptor.hpp"
#include "traces/io/file_size_signal.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"

namespace finegrain {
namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code ignored;  // if this fails, so does opening a file in it
  std::filesystem::create_directories(folder, ignored);
}

}  // namespace

RankFileWriter::RankFileWriter(const std::filesystem::path& folder, int rank)
    : path_((make_folder(folder), folder / rank_file_name(rank)).string()),
      file_(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666) {
  if (file_.descriptor() < 0 && errno == EEXIST)
    throw InputError(path_, "exists (a trace is never changed)", "Record into a new folder");
  const char* reason = std::strerror(errno);
  if (file_.descriptor() >= 0) {
    FileHeader header;
    header.rank = static_cast<std::uint32_t>(rank);
    reason = append(encode(header));
    if (reason == nullptr) return;
    ::unlink(path_.c_str());
  }
  throw InputError(path_, fmt::format("cannot be created ({})", reason),
                   "Choose a writable folder with enough room");
}

/// @returns why the file could not take all of it; else none
const char* RankFileWriter::append(std::span<const std::byte> bytes) {
  if (!file_.is_open()) return "the program has closed the file";
  const NoFileSizeSignal no_signal;
  if (!write_all(file_.descriptor(), bytes)) return std::strerror(errno);
  size_bytes_ += static_cast<off_t>(bytes.size());
  return nullptr;
}

void RankFileWriter::stop(const char* reason) {
  is_open_ = false;
  failed_ = true;
  // Half a chunk is cut off again; if even that fails, the reader names the byte at which it begins.
  const auto cut = [this] {
    if (!file_.is_open()) return false;
    const bool is_cut = ::ftruncate(file_.descriptor(), size_bytes_) == 0;
    return ::lseek(file_.descriptor(), size_bytes_, SEEK_SET) >= 0 && is_cut;
  };
  // That has made room, where the disk is full: a mark in place of the end's says why the recording ends
  // here. There may be no memory.
  if (cut()) {
    const auto text = std::as_bytes(std::span(std::string_view(reason).substr(0, most_reason_bytes)));
    ChunkHeader mark;
    mark.kind = ChunkKind::stopped;
    mark.first_iteration = iterations_;
    mark.messages = posts_;
    mark.payload_bytes = mark.content_bytes = static_cast<std::uint32_t>(text.size());
    mark.payload_checksum = checksum(text);
    std::array<std::byte, chunk_header_bytes + most_reason_bytes> bytes{};
    std::ranges::copy(encode(mark), bytes.begin());
    std::ranges::copy(text, bytes.begin() + chunk_header_bytes);
    if (append(std::span(bytes).first(chunk_header_bytes + text.size())) != nullptr) std::ignore = cut();
  }
  if (silent_) return;
  complain(
      fmt::format("{}: recording stopped ({}). The program goes on; the trace ends here", path_, reason));
}

void RankFileWriter::write(ChunkKind kind, const ChunkContent& content, std::uint32_t iterations,
                           std::uint64_t posts, int level) {
  ChunkHeader header;
  header.kind = kind;
  header.first_iteration = iterations_;
  header.iterations = iterations;
  header.messages = posts;
  std::vector<std::byte> chunk;
  // Its memory is freed at once: the program may need it.
  if (const char* const reason = ChunkBytes().make(header, content, level, chunk)) return stop(reason);
  if (const char* const reason = append(chunk)) return stop(reason);
  iterations_ += iterations;
  posts_ += posts;
  if (iterations > 0) ++chunks_;
}

void RankFileWriter::note(const CallInProgress& call) {
  ChunkContent content;
  content.bytes = encode(call);
  content.part_bytes = {content.bytes.size()};
  write(ChunkKind::call_in_progress, content, 0, 0, 1);
}

bool RankFileWriter::finish() {
  if (is_finished_) return !failed_;
  is_finished_ = true;
  if (!failed_) {
    ChunkHeader end;
    end.kind = ChunkKind::end_mark;
    end.first_iteration = iterations_;
    end.messages = posts_;
    end.payload_checksum = checksum({});
    if (const char* const reason = append(encode(end))) stop(reason);
  }
  is_open_ = false;
  if (!file_.is_open()) return !failed_;
  // The manifest will say that this file is complete, so it must outlive a crash of the machine. A network
  // file system may report a full disk only now.
  int error = ::fsync(file_.descriptor()) == 0 || errno == EINVAL ? 0 : errno;
  if (const int at_close = file_.close(); error == 0) error = at_close;
  if (error != 0 && !failed_) {
    failed_ = true;
    if (silent_) return false;
    complain(fmt::format("{}: the end of the recording may be lost ({})", path_, std::strerror(error)));
  }
  return !failed_;
}

}  // namespace finegrain
