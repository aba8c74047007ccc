// SPDX-License-Identifier: MIT
#include "traces/rank_file_reader.hpp"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "traces/io/units.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {
namespace {

/// @returns as ZSTD_decompress(), without its context for each chunk, whose memory costs more than a small
/// one
std::size_t decompress(std::span<std::byte> out, std::span<const std::byte> in) {
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                                  ZSTD_freeDCtx);
  if (!context) return static_cast<std::size_t>(-ZSTD_error_memory_allocation);
  return ZSTD_decompressDCtx(context.get(), out.data(), out.size(), in.data(), in.size());
}

}  // namespace

RankFileReader::RankFileReader(FileSlice file, int rank, int ranks,
                               std::shared_ptr<Communicators> communicators, NamePlace name_place)
    : file_(std::move(file)),
      ranks_(ranks),
      calls_(rank, ranks, std::move(communicators), std::move(name_place)) {
  std::array<std::byte, file_header_bytes> bytes{};
  if (file_.size_bytes() < bytes.size()) fail(file_.size_bytes(), "the file ends within its header");
  file_.read(0, bytes);
  const std::optional<FileHeader> header = decode_file_header(bytes);
  if (!header) fail(0, "the header is not that of a rank's file, or is damaged");
  if (header->version < oldest_rank_file_version || header->version > rank_file_version) {
    throw InputError(file_.name(),
                     fmt::format("byte 8: version is {} (this finegrain reads {} to {})", header->version,
                                 oldest_rank_file_version, rank_file_version),
                     "Record it again, or use the finegrain that recorded it");
  }
  if (header->rank != static_cast<std::uint32_t>(rank))
    fail(12, fmt::format("is the file of rank {}, not {}", header->rank, rank));
  position_ = bytes.size();
}

void RankFileReader::fail(std::uint64_t byte, std::string_view problem) const {
  throw InputError(fmt::format("{}: byte {}", file_.name(), byte), std::string(problem),
                   "Record the trace again, or restore the file");
}

/// The chunks before are whole.
void RankFileReader::fail_unfinished(std::string_view problem) const {
  throw UnfinishedFile(fmt::format("{}: byte {}", file_.name(), position_),
                       fmt::format("{} after {} (its program was killed, or still runs)", problem,
                                   format_count(iterations_, "iteration")),
                       remedy_for_unfinished());
}

/// At a mark in place of the end's.
void RankFileReader::fail_stopped(const ChunkHeader& mark) const {
  const std::uint64_t payload_position = position_ + chunk_header_bytes;
  if (mark.payload_bytes > most_reason_bytes) fail(position_, "a chunk is too large");
  if (mark.payload_bytes > file_.size_bytes() - payload_position)
    fail_unfinished("the file ends within a chunk");
  std::string reason(mark.payload_bytes, '\0');
  file_.read(payload_position, std::as_writable_bytes(std::span(reason)));
  if (checksum(std::as_bytes(std::span(reason))) != mark.payload_checksum)
    fail(payload_position, "a chunk is damaged (its checksum differs)");
  throw UnfinishedFile(
      fmt::format("{}: byte {}", file_.name(), position_),
      fmt::format("the recording stopped after {} ({})", format_count(iterations_, "iteration"), reason),
      remedy_for_unfinished());
}

/// Salvaging is for iterations. A program's calls are read as far as they go wherever that has a meaning.
const char* RankFileReader::remedy_for_unfinished() const {
  return chunk_ ? "Record it again, or keep the iterations that all ranks have: finegrain trace salvage"
                : "Record the trace again";
}

/// @returns false at the end mark
bool RankFileReader::open_next_chunk() {
  std::optional<bool> opened;
  while (!opened)
    opened = open_chunk();
  return *opened;
}

/// @returns false at the end mark; none if the chunk holds no iterations
std::optional<bool> RankFileReader::open_chunk() {
  const std::uint64_t left_bytes = file_.size_bytes() - position_;
  if (left_bytes == 0) fail_unfinished("the end mark is missing");
  std::array<std::byte, chunk_header_bytes> bytes{};
  if (left_bytes < bytes.size()) fail_unfinished("the file ends within a chunk's header");
  file_.read(position_, bytes);
  const std::optional<ChunkHeader> header = decode_chunk_header(bytes);
  if (!header) fail(position_, "a chunk's header is damaged");
  if (header->first_iteration != iterations_)
    fail(position_,
         fmt::format("iteration {} follows where {} should", header->first_iteration, iterations_));

  const std::uint64_t payload_position = position_ + bytes.size();
  if (header->kind != ChunkKind::call_in_progress) in_progress_.reset();
  if (header->kind == ChunkKind::end_mark) {
    if (header->messages != messages_)
      fail(position_, "the end mark counts other messages than the file has");
    if (payload_position != file_.size_bytes()) fail(payload_position, "bytes follow the end mark");
    return false;
  }
  if (header->kind == ChunkKind::stopped) fail_stopped(*header);
  // Nothing is allocated for a size before the size is known to be sane.
  if (header->payload_bytes > left_bytes - bytes.size()) fail_unfinished("the file ends within a chunk");
  if (header->content_bytes > largest_chunk_bytes ||
      header->content_bytes > most_content_bytes(header->payload_bytes))
    fail(position_, "a chunk is too large");
  if (header->kind == ChunkKind::call_in_progress) {
    read_call_in_progress(*header, payload_position);
    return std::nullopt;
  }
  if (header->iterations == 0) fail(position_, "a chunk has no iterations");
  if (has_threads_ && header->kind == ChunkKind::iterations)
    fail(position_, "iterations follow calls of several threads");
  std::vector<std::byte> content = std::exchange(read_ahead_, {});
  if (content.empty()) content = content_of(*header, payload_position);

  chunk_.reset();
  chunk_position_ = position_;
  if (header->kind == ChunkKind::calls) {
    const bool are_last = std::ranges::binary_search(last_uses_, chunk_position_);
    calls_.open(std::move(content), are_last ? CallDecoder::Signatures::are_used_here_only
                                             : CallDecoder::Signatures::may_be_used_later);
  } else {
    chunk_.emplace(std::move(content), ranks_);
  }
  chunk_end_ = iterations_ + header->iterations;
  chunk_iterations_ = header->iterations;
  messages_end_ = messages_ + header->messages;
  position_ = payload_position + header->payload_bytes;
  return true;
}

/// What such chunks say is of no use once others follow.
void RankFileReader::read_call_in_progress(const ChunkHeader& header, std::uint64_t payload_position) {
  if (header.iterations != 0 || header.messages != 0) fail(position_, "a chunk has more than a call's name");
  chunk_position_ = position_;
  in_progress_ = decode_call_in_progress(content_of(header, payload_position));
  position_ = payload_position + header.payload_bytes;
}

/// Decompressed. @pre the file has the payload, and its sizes are sane
std::vector<std::byte> RankFileReader::content_of(const ChunkHeader& header,
                                                  std::uint64_t payload_position) const {
  std::vector<std::byte> payload(header.payload_bytes);
  file_.read(payload_position, payload);
  if (checksum(payload) != header.payload_checksum)
    fail(payload_position, "a chunk is damaged (its checksum differs)");
  if (ZSTD_getFrameContentSize(payload.data(), payload.size()) != header.content_bytes)
    fail(payload_position, "a chunk's content is not of the size that its header says");
  std::vector<std::byte> content(header.content_bytes);
  const std::size_t content_bytes = decompress(content, payload);
  if (ZSTD_isError(content_bytes) || content_bytes != content.size())
    fail(payload_position, "a chunk cannot be decompressed");
  return content;
}

void RankFileReader::check_chunk_is_read() const {
  const bool is_read = chunk_ ? chunk_->exhausted() : calls_.exhausted();
  if (!is_read || messages_ != messages_end_)
    throw ChunkError("it holds other iterations than its header counts");
}

/// Decodes the next one of the file. @returns false at its end
bool RankFileReader::read_on() {
  while (true) {
    if (iterations_ == chunk_end_) {
      check_chunk_is_read();
      if (!open_next_chunk()) return false;
    }
    ++iterations_;
    if (chunk_) {
      decoded_ = chunk_->next();
      messages_ += static_cast<std::uint64_t>(decoded_.shape->all_posts);
      return true;
    }
    messages_ += calls_.read();
    if (calls_.next(decoded_)) return true;
  }
}

void RankFileReader::look_ahead() {
  if (!std::exchange(began_, true)) calls_.expect_cancelled(find_cancelled());
}

bool RankFileReader::has_threads() {
  look_ahead();
  return has_threads_;
}

const std::optional<CallInProgress>& RankFileReader::call_in_progress() {
  look_ahead();
  return last_in_progress_;
}

/// A receive's cancellation is recorded long after it was posted, so the whole file has to be read to find
/// it. Most files have none: the definitions of their calls show that, and whether there are threads.
/// @pre nothing has been read
std::set<std::int64_t> RankFileReader::find_cancelled() {
  const auto end_at_damage = [](auto&& read) {
    try {
      read();
    } catch (const InputError&) {  // next() says so when it comes there
    } catch (const ChunkError&) {
    }
  };
  const CallDecoder own(0, ranks_, std::make_shared<Communicators>(), calls_.name_place());
  RankFileReader definitions = *this;
  definitions.calls_ = own;
  definitions.calls_.look_only();
  end_at_damage([&] {
    std::optional<std::uint64_t> before;
    while (definitions.open_next_chunk() && !definitions.chunk_) {
      if (before && definitions.calls_.begins_anew()) last_uses_.push_back(*before);
      before = definitions.chunk_position_;
      if (read_ahead_.empty()) read_ahead_ = definitions.calls_.content();
      definitions.iterations_ = definitions.chunk_end_;
      definitions.messages_ = definitions.messages_end_;
    }
    if (before && !definitions.chunk_) last_uses_.push_back(*before);
  });
  has_threads_ = definitions.calls_.has_threads();
  last_in_progress_ = definitions.in_progress_;
  if (!definitions.calls_.has_cancelled()) return {};
  RankFileReader calls = *this;
  calls.calls_ = own;
  end_at_damage([&] {
    while (calls.iterations_ < calls.chunk_end_ || calls.open_next_chunk()) {
      ++calls.iterations_;
      calls.messages_ += calls.calls_.read();
      calls.calls_.drop();
    }
  });
  return calls.calls_.cancelled();
}

double RankFileReader::share_read() const {
  if (chunk_iterations_ == 0 || file_.size_bytes() == 0) return 0;
  const double left_of_chunk =
      static_cast<double>(chunk_end_ - iterations_) / static_cast<double>(chunk_iterations_);
  const double chunk_bytes = static_cast<double>(position_ - chunk_position_);
  return (static_cast<double>(position_) - left_of_chunk * chunk_bytes) /
         static_cast<double>(file_.size_bytes());
}

const Decoded* RankFileReader::next() {
  try {
    look_ahead();
    bool is_decoded = calls_.next(decoded_);
    if (!is_decoded && !ended_) {
      try {
        is_decoded = read_on();
        ended_ = !is_decoded;
      } catch (const UnfinishedFile&) {
        ended_ = true;
        unfinished_ = std::current_exception();
      }
      if (ended_) {
        calls_.end();
        is_decoded = calls_.next(decoded_);
      }
    }
    if (!is_decoded) {
      if (unfinished_) std::rethrow_exception(unfinished_);
      return nullptr;
    }
    if (decoded_.shape->earlier_requests > requests_)
      throw ChunkError("it completes requests that are not there");
    requests_ += decoded_.shape->requests;
    return &decoded_;
  } catch (const ChunkError& error) {
    fail(chunk_position_, fmt::format("a chunk is damaged ({})", error.what()));
  }
}

bool has_end_mark(const FileSlice& file) {
  std::array<std::byte, chunk_header_bytes> last{};
  if (file.size_bytes() < last.size()) return false;
  file.read(file.size_bytes() - last.size(), last);
  const std::optional<ChunkHeader> header = decode_chunk_header(last);
  return header && header->kind == ChunkKind::end_mark;
}

}  // namespace finegrain
