// SPDX-License-Identifier: MIT
#include "traces/recorder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "traces/chunk.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {
namespace {

constexpr std::size_t flush_at_bytes = std::size_t{1} << 20;
/// What a killed rank may lose, where iterations are small.
constexpr std::int64_t flush_after_ns = 2'000'000'000;
/// Times hardly repeat: higher levels cost more and gain nothing (tests/traces/compactness_test.cpp).
constexpr int compression_level = 1;

/// Each part begins a zstd block of its own, which costs a few bytes.
std::size_t compressed_bound(const ChunkContent& content) {
  return ZSTD_compressBound(content.bytes.size()) + 16 * content.part_bytes.size();
}

/// Appends a frame of zeros that zstd skips, where the payload is smaller than a reader believes.
/// Source: RFC 8878, section 3.1.2.
void lengthen(std::vector<std::byte>& chunk, std::size_t content_bytes) {
  const std::size_t payload_bytes = chunk.size() - chunk_header_bytes;
  if (content_bytes <= most_content_bytes(payload_bytes)) return;
  const auto zeros = static_cast<std::uint32_t>(content_bytes / 256 + 1);
  const std::array<std::uint32_t, 2> header{ZSTD_MAGIC_SKIPPABLE_START, zeros};
  const auto bytes = std::as_bytes(std::span(header));
  chunk.insert(chunk.end(), bytes.begin(), bytes.end());
  chunk.resize(chunk.size() + zeros);
}

/// One zstd frame, a block boundary after every part, so that each part gets its own entropy code.
/// @returns the compressed size, or a zstd error
std::size_t compress(const ChunkContent& content, std::span<std::byte> out) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) return static_cast<std::size_t>(-ZSTD_error_memory_allocation);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, compression_level);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), content.bytes.size());
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  ZSTD_inBuffer input{content.bytes.data(), 0, 0};
  for (const std::size_t part_bytes : content.part_bytes) {
    input.size += part_bytes;
    const bool last = input.size == content.bytes.size();
    const std::size_t left =
        ZSTD_compressStream2(context.get(), &output, &input, last ? ZSTD_e_end : ZSTD_e_flush);
    if (ZSTD_isError(left)) return left;
    if (last) break;
  }
  return output.pos;
}

}  // namespace

class Recorder::State {
 public:
  State(const std::filesystem::path& folder, int rank, Clock clock, std::int64_t resolution_ns);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Notes something, while recording. Without memory for it, the recording stops and the program goes on.
  template <typename Note>
  void note(Note note) {
    if (!recording) return;
    try {
      note();
    } catch (const std::bad_alloc&) {
      stop("out of memory");
    }
  }
  void note_end_of_iteration();
  bool finish();
  /// Where a recorder goes without finish(), something else has failed, and that is said.
  void finish_silently() {
    silent_ = true;
    finish();
  }

  const Clock clock;
  bool recording = true;  ///< false after a failure, and after finish()
  bool iteration_open = false;
  bool region_open = false;
  Body body;
  IterationTimes times;
  std::vector<std::size_t> posts;  ///< places in body.operations
  std::vector<bool> ended;         ///< shape [posts]

 private:
  void flush();
  bool append(std::span<const std::byte> bytes);
  void stop(const char* reason);

  std::string path_;
  int descriptor_ = -1;
  off_t size_bytes_ = 0;  ///< of what is whole in the file
  bool failed_ = false;
  bool silent_ = false;
  ChunkEncoder encoder_;
  std::int64_t chunk_start_ns_ = 0;  ///< of the iterations not flushed yet
  std::uint64_t iterations_ = 0;     ///< in the file
  std::uint64_t messages_ = 0;
};

Recorder::State::State(const std::filesystem::path& folder, int rank, Clock clock_in,
                       std::int64_t resolution_ns)
    : clock(clock_in), path_((folder / rank_file_name(rank)).string()), encoder_(resolution_ns) {
  std::error_code ignored;  // if this fails, so does open()
  std::filesystem::create_directories(folder, ignored);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && errno == EEXIST)
    throw InputError(path_, "exists (a trace is never changed)", "Record into a new folder");
  if (descriptor_ >= 0) {
    FileHeader header;
    header.rank = static_cast<std::uint32_t>(rank);
    if (append(encode(header))) return;
    ::unlink(path_.c_str());
    ::close(descriptor_);
  }
  throw InputError(path_, fmt::format("cannot be created ({})", std::strerror(errno)),
                   "Choose a writable folder with enough room");
}

Recorder::State::~State() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

/// @returns false, with errno set, if the file could not take all of it; then it ends as before
bool Recorder::State::append(std::span<const std::byte> bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      // Half a chunk is cut off again; where even that fails, the reader names the byte where it begins.
      [[maybe_unused]] const int cut = ::ftruncate(descriptor_, size_bytes_);
      errno = error;
      return false;
    }
    written += static_cast<std::size_t>(count);
  }
  size_bytes_ += static_cast<off_t>(bytes.size());
  return true;
}

/// Recording ends here, the program goes on and gets the memory back, and what was flushed stays readable.
void Recorder::State::stop(const char* reason) {
  recording = false;
  failed_ = true;
  encoder_ = ChunkEncoder();
  body = {};
  times = {};
  posts = {};
  ended = {};
  if (silent_) return;
  complain(
      fmt::format("{}: recording stopped ({}). The program goes on; the trace ends here", path_, reason));
}

void Recorder::State::note_end_of_iteration() {
  if (times.ends.size() < posts.size()) {
    for (std::size_t post = 0; post < posts.size(); ++post) {
      if (!ended[post]) times.ends.push_back({static_cast<std::int32_t>(post), times.iteration.end_ns});
    }
  }
  if (encoder_.iterations() == 0) chunk_start_ns_ = times.iteration.start_ns;
  encoder_.add(body, times);
  const Interval chunk{chunk_start_ns_, times.iteration.end_ns};
  if (encoder_.size_bytes() >= flush_at_bytes || chunk.length_ns() >= flush_after_ns) flush();
}

void Recorder::State::flush() {
  ChunkHeader header;
  header.first_iteration = iterations_;
  header.iterations = encoder_.iterations();
  header.messages = encoder_.posts();
  const ChunkContent content = encoder_.take();
  const std::size_t content_bytes = content.bytes.size();
  if (content_bytes > largest_chunk_bytes) return stop("one iteration takes more than 1 GiB");

  std::vector<std::byte> chunk(chunk_header_bytes + compressed_bound(content));
  const std::size_t compressed_bytes = compress(content, std::span(chunk).subspan(chunk_header_bytes));
  if (ZSTD_isError(compressed_bytes)) return stop(ZSTD_getErrorName(compressed_bytes));
  chunk.resize(chunk_header_bytes + compressed_bytes);
  lengthen(chunk, content_bytes);
  const auto payload = std::span<const std::byte>(chunk).subspan(chunk_header_bytes);
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.content_bytes = static_cast<std::uint32_t>(content_bytes);
  header.payload_checksum = checksum(payload);
  const auto encoded = encode(header);
  std::copy(encoded.begin(), encoded.end(), chunk.begin());
  if (!append(chunk)) return stop(std::strerror(errno));
  iterations_ += header.iterations;
  messages_ += header.messages;
}

bool Recorder::State::finish() {
  if (descriptor_ < 0) return !failed_;
  note([this] {
    if (encoder_.iterations() > 0) flush();
  });
  if (!failed_) {
    ChunkHeader end;
    end.end_mark = true;
    end.first_iteration = iterations_;
    end.messages = messages_;
    end.payload_checksum = checksum({});
    if (!append(encode(end))) stop(std::strerror(errno));
  }
  recording = false;
  // The manifest will say that this file is complete, so it must outlive a crash of the machine. A network
  // file system may report a full disk only now.
  int error = ::fsync(descriptor_) == 0 || errno == EINVAL ? 0 : errno;
  if (::close(std::exchange(descriptor_, -1)) != 0 && error == 0) error = errno;
  if (error != 0 && !failed_) {
    failed_ = true;
    if (silent_) return false;
    complain(fmt::format("{}: the end of the recording may be lost ({})", path_, std::strerror(error)));
  }
  return !failed_;
}

Recorder::Recorder(const std::filesystem::path& folder, int rank, Clock clock, std::int64_t resolution_ns)
    : state_(std::make_unique<State>(folder, rank, clock, resolution_ns)) {}

Recorder::~Recorder() {
  state_->finish_silently();
}

void Recorder::begin_iteration() {
  State& state = *state_;
  if (!state.recording) return;
  assert(!state.iteration_open);
  // Cleared, not freed: after the first iteration nothing is allocated.
  state.body.regions.clear();
  state.body.operations.clear();
  state.times.regions.clear();
  state.times.starts_ns.clear();
  state.times.ends.clear();
  state.posts.clear();
  state.ended.clear();
  state.iteration_open = true;
  state.times.iteration.start_ns = state.clock();
}

void Recorder::begin_region(RegionName name) {
  State& state = *state_;
  state.note([&] {
    assert(state.iteration_open && !state.region_open);
    state.region_open = true;
    state.body.begin_region(name);
    state.times.regions.push_back({state.clock(), 0});
  });
}

void Recorder::add(const Operation& operation) {
  if (const auto* posted = std::get_if<Post>(&operation)) {
    post(*posted);
    return;
  }
  State& state = *state_;
  state.note([&] {
    assert(state.region_open);
    state.body.add(operation);
  });
}

int Recorder::post(const Post& post) {
  State& state = *state_;
  const auto number = static_cast<int>(state.posts.size());
  state.note([&] {
    assert(state.region_open);
    state.posts.push_back(state.body.operations.size());
    state.body.add(post);
    state.ended.push_back(false);
    state.times.starts_ns.push_back(state.clock());
  });
  return number;
}

void Recorder::repeat(int post) {
  State& state = *state_;
  if (!state.recording) return;
  ++std::get<Post>(state.body.operations[state.posts[static_cast<std::size_t>(post)]]).repeat;
}

void Recorder::ended(int post) {
  State& state = *state_;
  state.note([&] {
    const auto number = static_cast<std::size_t>(post);
    if (number >= state.ended.size() || state.ended[number]) return;
    state.ended[number] = true;
    state.times.ends.push_back({post, state.clock()});
  });
}

void Recorder::end_region() {
  State& state = *state_;
  if (!state.recording) return;
  assert(state.region_open);
  state.region_open = false;
  state.times.regions.back().end_ns = state.clock();
}

void Recorder::end_iteration() {
  State& state = *state_;
  state.note([&] {
    assert(state.iteration_open && !state.region_open);
    state.iteration_open = false;
    state.times.iteration.end_ns = state.clock();
    state.note_end_of_iteration();
  });
}

bool Recorder::finish() {
  return state_->finish();
}

}  // namespace finegrain
