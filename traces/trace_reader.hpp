// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "traces/iteration.hpp"
#include "traces/manifest.hpp"
#include "traces/schedule.hpp"

namespace finegrain {

/// Start and end on rank 0's clock (offsets applied), nanoseconds.
struct Interval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// One iteration of one rank, as it was recorded.
struct RecordedIteration {
  Iteration iteration;
  Interval time;
  std::vector<Interval> phases;    ///< shape [iteration.phases]
  std::vector<Interval> messages;  ///< shape [iteration.messages]
};

/// A trace on disk: a folder, or the single file that `finegrain trace pack` makes of it.
class Trace {
 public:
  /// Reads the manifest. @throws InputError naming file and byte
  explicit Trace(const std::filesystem::path& path);
  ~Trace();
  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;

  const Manifest& manifest() const;

  /// Reads one rank's file from the start, one chunk in memory at a time.
  class RankReader {
   public:
    ~RankReader();
    RankReader(RankReader&&) noexcept;
    RankReader& operator=(RankReader&&) noexcept;
    /// The next iteration, or none after the last. @throws InputError naming file and byte where the file is
    /// damaged
    std::optional<RecordedIteration> next();

   private:
    friend class Trace;
    class State;
    explicit RankReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  RankReader rank(int rank) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The iteration that every recorded one of a rank equals, for all ranks.
/// @throws InputError if a rank's iterations differ from one another (naming the first that does)
Schedule schedule_of(const Trace& trace);

}  // namespace finegrain
