// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/replay/engine/compiled_bodies.hpp"
#include "sim/replay/programs/compiler.hpp"
#include "sim/replay/repeats/iteration_count.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// How far a rank is, as shares of its program.
struct Position {
  double before = 0;  ///< its current iteration
  double of_iteration = 0;
};

/// What the ranks of a job do, iteration after iteration, compiled when it is asked for.
class Iterations {
 public:
  virtual ~Iterations() = default;
  /// The rank's next iteration, valid until its next call; none after the last.
  /// @throws InputError if a program cannot be read, or a route is missing
  virtual const CompiledBody* next(std::size_t rank) = 0;
  /// @param so_far  what the rank did in all iterations together; finish_s: now
  virtual void finished(std::size_t rank, const RankReplay& so_far) = 0;
  /// Whether next() may be called (ProgramCursor::is_decided()).
  virtual bool is_decided(std::size_t /*rank*/) const { return true; }
  /// What a rank simulated, with what it did not simulate added.
  virtual RankReplay completed(std::size_t rank, RankReplay simulated) const = 0;
  virtual void report(ReplayResult& result) const = 0;
  /// After the rank's last iteration: whether its program went on after the end of its recording.
  virtual bool ends_early(std::size_t /*rank*/) const { return false; }
  /// About where the rank is: for people who wait.
  virtual Position position(std::size_t rank) const = 0;
};

/// A schedule's, which are one body again and again, until they are found to repeat.
class RepeatedIterations : public Iterations {
 public:
  RepeatedIterations(const ReplayJob& job, const ReplayOptions& options, Compiler& compiler);
  const CompiledBody* next(std::size_t rank) override;
  void finished(std::size_t rank, const RankReplay& so_far) override { count_.finished(rank, so_far); }
  RankReplay completed(std::size_t rank, RankReplay simulated) const override {
    return count_.completed(rank, std::move(simulated));
  }
  void report(ReplayResult& result) const override { count_.report(result); }
  Position position(std::size_t rank) const override;

 private:
  std::vector<CompiledBody> programs_;
  std::int64_t most_iterations_;     ///< that are simulated, unless ranks run away from one another
  std::vector<std::int64_t> begun_;  ///< each rank's
  IterationCount count_;
};

/// Any program's, read loop by loop: in memory are a few bodies a rank, however long it is.
class StreamedIterations : public Iterations {
 public:
  StreamedIterations(const ReplayJob& job, Compiler& compiler);
  const CompiledBody* next(std::size_t rank) override;
  void finished(std::size_t /*rank*/, const RankReplay& /*so_far*/) override {}
  RankReplay completed(std::size_t rank, RankReplay simulated) const override;
  void report(ReplayResult& result) const override;
  bool ends_early(std::size_t rank) const override { return ranks_[rank].cursor->ends_early(); }
  Position position(std::size_t rank) const override;
  bool is_decided(std::size_t rank) const override {
    return ranks_[rank].left > 0 || ranks_[rank].cursor->is_decided();
  }

 private:
  struct Rank {
    std::unique_ptr<ProgramCursor> cursor;
    CompiledBodies bodies;
    const CompiledBody* program = nullptr;
    std::int64_t left = 0;        ///< iterations of this program
    std::int64_t of_program = 0;  ///< iterations, with those that are done
    double share_before = 0;      ///< the cursor's, before this program was read
    std::int64_t begun = 0;
  };

  Compiler& compiler_;
  std::vector<Rank> ranks_;
};

}  // namespace finegrain::replay
