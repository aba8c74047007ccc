// SPDX-License-Identifier: MIT
#include "traces/call_recorder.hpp"

#include <algorithm>
#include <new>
#include <optional>

#include "traces/call_encoder.hpp"
#include "traces/rank_file_writer.hpp"

namespace finegrain {
namespace {

constexpr std::size_t flush_at_bytes = std::size_t{1} << 20;
/// The first chunks are smaller, each twice the one before: a disk that is nearly full holds at least as much
/// as it then loses.
constexpr std::size_t first_flush_at_bytes = std::size_t{1} << 16;
constexpr std::int64_t flush_after_ns = 2'000'000'000;
/// zstd's level: searching for repeated calls pays off; searching in their times does not, but costs little.
constexpr int compression_level = 3;

}  // namespace

class CallRecorder::State {
 public:
  State(const std::filesystem::path& folder, int rank, std::int64_t resolution_ns)
      : file_(folder, rank), encoder_(std::in_place, resolution_ns) {}

  /// Notes something, while recording. Without memory for it, the recording stops and the program goes on.
  template <typename Note>
  void note(Note note) {
    if (!encoder_ || is_stopped_) return;
    try {
      note(*encoder_);
    } catch (const std::bad_alloc&) {
      file_.stop("out of memory");
    }
    if (!file_.is_open()) encoder_.reset();
  }

  void call(const CallSignature& signature, std::uint64_t polls, std::int64_t start_ns, std::int64_t end_ns) {
    note([&](CallEncoder& encoder) {
      if (encoder.calls() == 0) chunk_start_ns_ = start_ns;
      encoder.add(signature, polls, start_ns, end_ns);
      const bool is_full = encoder.calls() % 64 == 0 && encoder.size_bytes() >= flush_at_bytes_;
      if (is_full || end_ns - chunk_start_ns_ >= flush_after_ns) flush();
    });
  }
  void flush() {
    note([this](CallEncoder& encoder) {
      if (encoder.calls() == 0) return;
      const std::uint32_t calls = encoder.calls();
      const std::uint64_t posts = encoder.posts();
      file_.write(ChunkKind::calls, encoder.take(), calls, posts, compression_level);
      flush_at_bytes_ = std::min(flush_at_bytes, 2 * flush_at_bytes_);
    });
  }
  void flush_older_than(std::int64_t time_ns) {
    if (encoder_ && encoder_->calls() > 0 && chunk_start_ns_ < time_ns) flush();
  }
  void note_open_call(const CallInProgress& call) {
    note([&](CallEncoder&) { file_.note(call); });
  }
  std::uint64_t chunks() const { return file_.chunks(); }
  bool finish() {
    flush();
    return file_.finish();
  }
  void stop(const char* reason) {
    is_stopped_ = true;
    file_.stop(reason);
  }
  bool has_failed() const { return !file_.is_open(); }
  void be_silent() { file_.be_silent(); }

 private:
  RankFileWriter file_;
  std::optional<CallEncoder> encoder_;  ///< none: the recording has failed
  std::size_t flush_at_bytes_ = first_flush_at_bytes;
  std::int64_t chunk_start_ns_ = 0;
  bool is_stopped_ = false;
};

CallRecorder::CallRecorder(const std::filesystem::path& folder, int rank, std::int64_t resolution_ns)
    : state_(std::make_unique<State>(folder, rank, resolution_ns)) {}

CallRecorder::~CallRecorder() {
  state_->be_silent();
  state_->finish();
}

std::uint32_t CallRecorder::define_function(std::string_view name) {
  std::uint32_t number = 0;
  state_->note([&](CallEncoder& encoder) { number = encoder.define_function(name); });
  return number;
}

std::int32_t CallRecorder::define_communicator(std::uint64_t identity, std::span<const std::int32_t> ranks) {
  std::int32_t number = 0;
  state_->note([&](CallEncoder& encoder) { number = encoder.define_communicator(identity, ranks); });
  return number;
}

void CallRecorder::call(const CallSignature& signature, std::int64_t start_ns, std::int64_t end_ns) {
  state_->call(signature, 0, start_ns, end_ns);
}

void CallRecorder::polls(const CallSignature& signature, std::uint64_t count, std::int64_t start_ns,
                         std::int64_t end_ns) {
  state_->call(signature, count, start_ns, end_ns);
}

void CallRecorder::waited_for_core(std::int64_t lost_ns) {
  state_->note([&](CallEncoder& encoder) { encoder.add_wait_for_core(lost_ns); });
}

void CallRecorder::flush() {
  state_->flush();
}

void CallRecorder::flush_older_than(std::int64_t time_ns) {
  state_->flush_older_than(time_ns);
}

void CallRecorder::note_open_call(const CallInProgress& call) {
  state_->note_open_call(call);
}

std::uint64_t CallRecorder::chunks() const {
  return state_->chunks();
}

void CallRecorder::stop(const char* reason) {
  state_->stop(reason);
}

bool CallRecorder::has_failed() const {
  return state_->has_failed();
}

bool CallRecorder::finish() {
  return state_->finish();
}

}  // namespace finegrain
