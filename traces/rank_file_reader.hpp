// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "traces/call_decoder.hpp"
#include "traces/chunk.hpp"
#include "traces/file_slice.hpp"
#include "traces/rank_file.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain {

/// Reads a rank's file from its start, one chunk in memory, and checks everything that the format promises.
class RankFileReader {
 public:
  /// @param communicators  the trace's
  /// @throws InputError if the file does not begin as that rank's
  /// @param name_place  as CallDecoder takes it
  RankFileReader(FileSlice file, int rank, int ranks,
                 std::shared_ptr<Communicators> communicators = std::make_shared<Communicators>(),
                 NamePlace name_place = {});

  /// The next iteration, or call of any MPI program, on the rank's own clock, valid until the next call; none
  /// after the end mark.
  /// @throws InputError naming the byte of the damage, UnfinishedFile where the file just ends
  const Decoded* next();
  /// Whether several threads make calls. They are read in the order in which they ended.
  bool has_threads();
  /// About how much of the file's bytes next() has given, from 0 to 1.
  double share_read() const;
  /// The call that the file's last chunk says the rank was in; none if other chunks or the end mark follow.
  const std::optional<CallInProgress>& call_in_progress();
  /// The tick of the last iteration's times. @pre there was one
  std::int64_t tick_ns() const { return chunk_ ? chunk_->tick_ns() : calls_.tick_ns(); }

 private:
  void look_ahead();
  std::set<std::int64_t> find_cancelled();
  bool open_next_chunk();
  std::optional<bool> open_chunk();
  void read_call_in_progress(const ChunkHeader& header, std::uint64_t payload_position);
  std::vector<std::byte> content_of(const ChunkHeader& header, std::uint64_t payload_position) const;
  void check_chunk_is_read() const;
  bool read_on();
  [[noreturn]] void fail(std::uint64_t byte, std::string_view problem) const;
  [[noreturn]] void fail_unfinished(std::string_view problem) const;
  [[noreturn]] void fail_stopped(const ChunkHeader& mark) const;
  const char* remedy_for_unfinished() const;

  FileSlice file_;
  std::int32_t ranks_;
  std::uint64_t position_ = 0;  ///< where the next chunk's header begins
  bool began_ = false;
  bool has_threads_ = false;
  bool ended_ = false;
  std::optional<CallInProgress> in_progress_;       ///< that the last chunk opened says
  std::optional<CallInProgress> last_in_progress_;  ///< that the file's last chunk says
  std::exception_ptr unfinished_;                   ///< what is thrown once all that was read is given
  std::uint64_t iterations_ = 0;                    ///< read from the file so far
  std::uint64_t messages_ = 0;                      ///< in the chunks opened so far
  std::int64_t requests_ = 0;                       ///< that posts have made so far
  std::optional<ChunkDecoder> chunk_;               ///< one of iterations; none: the open one is of calls
  CallDecoder calls_;
  Decoded decoded_;                    ///< the last that next() gave
  std::vector<std::byte> read_ahead_;  ///< content of the first chunk, if it was read and not opened yet
  /// The places of chunks of calls after which no call has a signature that is known by then, ascending.
  std::vector<std::uint64_t> last_uses_;
  std::uint64_t chunk_position_ = 0;
  std::uint64_t chunk_end_ = 0;  ///< the iteration after the open chunk's last
  std::uint64_t chunk_iterations_ = 0;
  std::uint64_t messages_end_ = 0;
};

/// Whether a rank's file ends with its end mark, as it does where its program was recorded to its end.
bool has_end_mark(const FileSlice& file);

}  // namespace finegrain
