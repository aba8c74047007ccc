// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "traces/interval.hpp"
#include "traces/rank_file_writer.hpp"

namespace finegrain {

/// One rank's file of a trace while the program runs. An encoder collects iterations or calls, which become a
/// chunk when they are many, or two seconds old. A failing disk stops the recording (one line on stderr),
/// never the program; so does missing memory.
/// @tparam File  a RankFileWriter, or what has its write(), stop(), finish() and is_open()
template <class Encoder, class File = RankFileWriter>
class ChunkRecording {
 public:
  /// @param file  what the file is made of. @throws as File's constructor
  template <class... OfFile>
  explicit ChunkRecording(std::int64_t tick_ns, OfFile&&... file)
      : file_(std::forward<OfFile>(file)...), encoder_(std::in_place, tick_ns) {}

  File& file() { return file_; }
  /// False after a failure, and after finish().
  bool goes_on() const { return file_.is_open(); }

  /// Calls note(encoder), while the recording goes on.
  template <class Note>
  void note(Note note) {
    if (!goes_on()) return;
    try {
      note(*encoder_);
    } catch (const std::bad_alloc&) {
      file_.stop("out of memory");
    }
    if (!goes_on()) encoder_.reset();
  }

  /// Calls add(encoder), which adds an iteration or a call of that time.
  template <class Add>
  void add(const Interval& time, Add add) {
    note([&](Encoder& encoder) {
      if (encoder.count() == 0) chunk_start_ns_ = time.start_ns;
      add(encoder);
      const bool is_full =
          encoder.count() % Encoder::looks_at_size_every == 0 && encoder.size_bytes() >= full_bytes_;
      if (is_full || Interval{chunk_start_ns_, time.end_ns}.length_ns() >= flush_after_ns) flush();
    });
  }

  /// Writes what is in memory to the file.
  void flush() {
    note([this](Encoder& encoder) {
      const std::uint32_t count = encoder.count();
      if (count == 0) return;
      const std::uint64_t posts = encoder.posts();
      file_.write(Encoder::chunk_kind, encoder.take(), count, posts, Encoder::compression_level);
      full_bytes_ = std::min(most_full_bytes, 2 * full_bytes_);
    });
  }
  /// flush(), if what is in memory began before that time.
  void flush_older_than(std::int64_t time_ns) {
    if (chunk_start_ns_ < time_ns) flush();
  }

  /// Flushes and closes the file with its end mark. @returns false if recording had failed
  bool finish() {
    flush();
    return file_.finish();
  }

 private:
  static constexpr std::size_t most_full_bytes = std::size_t{1} << 20;
  /// What a killed rank may lose if iterations are small.
  static constexpr std::int64_t flush_after_ns = 2'000'000'000;

  File file_;
  std::optional<Encoder> encoder_;  ///< none: the recording has failed
  /// The first chunks are smaller, each twice the one before: a disk that is nearly full holds at least as
  /// much as it then loses.
  std::size_t full_bytes_ = std::size_t{1} << 16;
  std::int64_t chunk_start_ns_ = 0;  ///< the start of what is in memory
};

}  // namespace finegrain
