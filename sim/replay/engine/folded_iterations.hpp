// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/replay/engine/compiled_bodies.hpp"
#include "sim/replay/engine/iterations.hpp"
#include "sim/replay/folding/folded_programs.hpp"
#include "sim/replay/repeats/iteration_count.hpp"
#include "sim/replay/repeats/sampled_loop.hpp"

namespace finegrain::replay {

/// Programs whose loops were found: each loop is simulated until it repeats, or as often as there are
/// samples, and then all ranks go on with what comes after it. The iterations that are left out are
/// arithmetic.
class FoldedIterations : public Iterations {
 public:
  /// @pre all outlive what is made
  FoldedIterations(const FoldedPrograms& programs, WorkTimes work, const ReplayOptions& options,
                   Compiler& compiler);
  const CompiledBody* next(std::size_t rank) override;
  void finished(std::size_t rank, const RankReplay& so_far) override;
  RankReplay completed(std::size_t rank, RankReplay simulated) const override;
  void report(ReplayResult& result) const override;
  Position position(std::size_t rank) const override;

 private:
  /// A loop has one of them.
  struct Count {
    std::optional<IterationCount> until_it_repeats;
    std::optional<SampledLoop> samples;
  };
  /// How far a rank is.
  struct Rank {
    std::size_t segment = 0;
    std::int64_t iteration = 0;          ///< its number in the segment
    std::size_t call = 0;                ///< its number in the iteration
    std::size_t time = 0;                ///< in Segment::seconds
    std::int64_t calls = 0;              ///< begun in all
    const RankReplay* so_far = nullptr;  ///< in all iterations; none before the first has ended
    CompiledBodies bodies;
    CompiledBody loop_program;        ///< all calls of an iteration, one after the other
    std::size_t loop_segment = 0;     ///< whose; 0: no loop has begun
    std::uint32_t times_of_loop = 0;  ///< in Segment::seconds, of one iteration
  };

  /// The times of a segment's calls, as FoldedPrograms has them, or a loop's means.
  const std::vector<float>& seconds_of(const Segment& segment) const {
    const bool is_undisturbed = work_ == WorkTimes::undisturbed && !segment.undisturbed_seconds.empty();
    const bool is_mean = work_ == WorkTimes::mean && !segment.mean_seconds.empty();
    return is_undisturbed ? segment.undisturbed_seconds : is_mean ? segment.mean_seconds : segment.seconds;
  }
  /// Undisturbed work stays as it was recorded.
  bool keeps_work(const CommonLoop& loop) const { return work_ == WorkTimes::undisturbed && loop.work_moves; }
  static bool is_loop(const Rank& rank) { return rank.segment % 2 == 1; }
  std::int64_t iterations_to_do(std::size_t rank) const;
  bool begin_iteration(std::size_t rank);
  const CompiledBody* next_call(std::size_t rank);
  const CompiledBody* next_iteration(std::size_t rank);
  CompiledBody compile_iteration(std::size_t rank);

  const FoldedPrograms& programs_;
  Compiler& compiler_;
  const WorkTimes work_;  ///< every loop's
  std::vector<Rank> ranks_;
  std::vector<Count> counts_;  ///< the loops'
  std::int64_t most_iterations_;
};

}  // namespace finegrain::replay
