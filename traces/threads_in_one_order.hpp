// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "traces/chunk.hpp"
#include "traces/rank_file_reader.hpp"

namespace finegrain {

/// The calls of a rank whose threads call MPI at once, as one program. What a call begins (transfers and
/// collectives) is placed where it began, and what it waits for is placed where it ended. So a call that
/// waits does not delay what other threads did meanwhile. If no other thread did anything, the call stays
/// one part. But a blocking collective whose waits depend on the algorithm always becomes two: in the replay
/// its ranks may wait for others than in the recording, and other threads' calls may have to begin meanwhile.
///
/// Work is the time in which at least one thread worked: a thread works from the end of a call to its next
/// one, without the time that it waited for a core. If several did, that time counts once.
///
/// Calls that were read are in memory until all threads' next ones are known.
class ThreadsInOneOrder {
 public:
  /// Reads the file once, to find out until when each thread makes calls. @pre nothing was read of it
  explicit ThreadsInOneOrder(RankFileReader file);

  /// The next call, or the beginning or the end of one, as RankFileReader::next(); its times are those of
  /// its work only.
  const Decoded* next();

 private:
  enum class Part : std::uint8_t { whole, begin, end };
  struct Call {
    std::shared_ptr<const Shape> shape;
    std::uint64_t number;  ///< in the file
    Interval time;
    std::int64_t lost_ns;
    std::uint64_t polls;
    std::int64_t first_request;             ///< made so many before it, in the file
    std::vector<std::int64_t> posted = {};  ///< its requests in the program that the file does not have
    bool begins = false, waits = false, is_timed = false;
    bool is_apart = false;  ///< given in two parts, whatever other threads do
  };
  struct Thread {
    std::uint32_t number;
    std::uint64_t calls_left = 0;  ///< to be read
    std::deque<Call> read = {};    ///< that have not ended; the first may have begun
    bool has_begun = false;
    std::int64_t last_end_ns = 0;
    double share = 0;  ///< how much of the time until its next call it works
  };
  /// When, 0 for a start and 1 for an end, and a number that tells apart those of one time.
  using When = std::tuple<std::int64_t, int, std::uint64_t>;
  using Known = std::tuple<std::shared_ptr<const Shape>, Part, bool, std::vector<std::int64_t>>;

  void read_on();
  void expect_start(Thread& thread);
  bool begin(Thread& thread);
  bool end(Thread& thread);
  void end_call(Thread& thread);
  void pass_time(std::int64_t until_ns);
  void give(Call& call, Part part);
  void make_requests(Call& call, Part part);
  void wait_for(const Complete& complete, std::int64_t requests_before);
  void wait_for(std::vector<std::int64_t>& requests);
  Body body(const Call& call, Part part, bool has_work) const;

  RankFileReader file_;
  std::map<std::uint32_t, Thread> threads_;  ///< that have calls left, by their numbers
  std::map<When, Thread*> events_;
  std::size_t unknown_ = 0;                    ///< threads whose next call was not read
  std::uint64_t calls_ = 0;                    ///< read
  std::int64_t requests_ = 0;                  ///< made by the calls that were read
  std::map<std::int64_t, std::int64_t> open_;  ///< requests in the program, by their numbers in the file
  std::int64_t made_ = 0;                      ///< requests in the program

  std::optional<std::int64_t> now_ns_;
  std::size_t working_ = 0;      ///< threads that work
  double shares_ = 0;            ///< the sum of their shares
  std::size_t timed_calls_ = 0;  ///< under way, of which only the time is known
  // Since the last part that was given.
  std::uint64_t work_ns_ = 0;
  double lost_ns_ = 0;  ///< the part of it that was lost
  std::uint64_t timed_ns_ = 0;

  /// For each Complete of the part: of how many runs of requests it is, and the age and length of each. First
  /// comes one for what the file does not have.
  std::vector<std::int64_t> waits_;
  std::map<Known, std::shared_ptr<const Shape>> known_;
  Decoded decoded_;
};

}  // namespace finegrain
