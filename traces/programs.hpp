// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "traces/operation.hpp"
#include "traces/run.hpp"

namespace finegrain {

/// One rank's program, read from its first loop to its last.
class ProgramCursor {
 public:
  virtual ~ProgramCursor() = default;
  /// The next loop, valid, and its body, until the next call; none after the last.
  /// @throws InputError where the program cannot be read further
  virtual const Loop* next() = 0;
  /// After the last loop: whether the program went on, but its recording did not.
  virtual bool ends_early() const { return false; }
  /// Whether the next loop is known. Only a program whose tasks depend on what comes first while it is
  /// replayed may say no; then next() must not be called.
  virtual bool is_decided() const { return true; }
};

/// What the ranks of a run do: computed, or recorded. A program is never in memory as a whole.
class Programs {
 public:
  virtual ~Programs() = default;
  virtual int ranks() const = 0;
  /// @throws InputError if the rank's program cannot be read
  virtual std::unique_ptr<ProgramCursor> rank(int rank) const = 0;
  /// The ranks of a communicator that an operation names, in its order. @param number  not 0, which has all
  virtual std::span<const std::int32_t> communicator(std::int32_t /*number*/) const { return {}; }
};

/// Programs made of others, rank by rank, with the same communicators. @pre the others outlive them
class DerivedPrograms : public Programs {
 public:
  int ranks() const override { return programs_.ranks(); }
  std::span<const std::int32_t> communicator(std::int32_t number) const override {
    return programs_.communicator(number);
  }

 protected:
  explicit DerivedPrograms(const Programs& programs) : programs_(programs) {}
  const Programs& programs() const { return programs_; }

 private:
  const Programs& programs_;
};

/// A run in which every rank repeats one body, run.iterations times.
struct Schedule {
  Run run;
  std::vector<Body> ranks;  ///< shape [run.ranks]
};

/// A schedule as programs. @pre the schedule outlives them
class SchedulePrograms : public Programs {
 public:
  explicit SchedulePrograms(const Schedule& schedule) : schedule_(schedule) {}
  int ranks() const override { return static_cast<int>(schedule_.ranks.size()); }
  std::unique_ptr<ProgramCursor> rank(int rank) const override;

 private:
  const Schedule& schedule_;
};

}  // namespace finegrain
