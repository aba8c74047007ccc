// SPDX-License-Identifier: MIT
#include "sim/replay/folding/folded_programs.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "sim/replay/folding/agreement.hpp"
#include "sim/replay/folding/call_sequence.hpp"
#include "sim/replay/folding/iteration_samples.hpp"
#include "sim/replay/folding/rank_loops.hpp"
#include "sim/replay/folding/untagged_programs.hpp"
#include "traces/undisturbed_work.hpp"

namespace finegrain::replay {
namespace {

/// If a rank's work differs from its mean by more than this, means are not good enough.
constexpr double most_deviation = 1e-3;
// In memory, of all ranks together.
constexpr std::size_t most_calls_of_all = 4'000'000;
constexpr std::size_t most_sampled_times = 16'000'000;

/// How long the ranks' work takes, iteration by iteration.
class Noise {
 public:
  void add_rank(std::span<const double> work_s, std::span<const double> deviations_s) {
    slowest_s_.resize(work_s.size(), 0);
    most_deviating_s_.resize(work_s.size(), 0);
    for (std::size_t i = 0; i < work_s.size(); ++i) {
      slowest_s_[i] = std::max(slowest_s_[i], work_s[i]);
      most_deviating_s_[i] = std::max(most_deviating_s_[i], deviations_s[i]);
    }
    most_work_s_ = std::max(most_work_s_, std::accumulate(work_s.begin(), work_s.end(), 0.));
  }
  /// How much longer the slowest rank of each iteration works than the mean.
  double relative() const { return most_work_s_ > 0 ? sum(slowest_s_) / most_work_s_ - 1 : 0; }
  /// How far the calls of the rank that varies most in an iteration are from their means. More than
  /// relative(): work may also move within an iteration, or vary on a rank that others wait for only then.
  double deviation() const { return most_work_s_ > 0 ? sum(most_deviating_s_) / most_work_s_ : 0; }
  /// Seconds of each iteration, of the rank that works most in it.
  const std::vector<double>& slowest_s() const { return slowest_s_; }

 private:
  static double sum(const std::vector<double>& seconds) {
    return std::accumulate(seconds.begin(), seconds.end(), 0.);
  }

  std::vector<double> slowest_s_;         ///< each iteration's, of all ranks
  std::vector<double> most_deviating_s_;  ///< likewise
  double most_work_s_ = 0;                ///< one rank's, all iterations together
};

/// What is found out of a loop, rank by rank.
struct Found {
  LoopBalance balance;
  Noise noise;
  std::size_t wanted_samples;
};

/// What the third reading keeps of a loop whose work varies.
struct Varying {
  IterationSamples samples;  ///< simulated with their own times
  IterationSamples usual;    ///< more of them, to know what is usual
  UndisturbedWork undisturbed;
};

/// From how many iterations what is usual in a loop is known well enough, as far as they fit in memory.
std::size_t usual_iterations(std::size_t ranks) {
  constexpr std::size_t enough = 2048;
  return std::clamp<std::size_t>(most_sampled_times / ranks, samples_in_a_row, enough);
}

Varying varying(const Found& loop, std::size_t ranks) {
  IterationSamples usual = choose_samples(loop.noise.slowest_s(), usual_iterations(ranks));
  std::vector<float> stand_for;
  for (const StandsFor& sample : usual.stand_for)
    stand_for.push_back(sample.iterations);
  return {choose_samples(loop.noise.slowest_s(), loop.wanted_samples), std::move(usual),
          UndisturbedWork(std::move(stand_for))};
}

/// Reads programs, and keeps those that are short for a second reading.
class Reader {
 public:
  explicit Reader(const Programs& programs) : programs_(programs) {}

  std::shared_ptr<const CallSequence> read(int rank) {
    const auto known = kept_.find(rank);
    if (known != kept_.end()) return known->second;
    auto calls = read_calls(*programs_.rank(rank));
    if (!calls) return nullptr;
    auto sequence = std::make_shared<const CallSequence>(std::move(*calls));
    kept_calls_ += sequence->calls.size();
    if (kept_calls_ <= most_calls_of_all) kept_.emplace(rank, sequence);
    return sequence;
  }
  /// The rank is not read any more.
  void forget(int rank) { kept_.erase(rank); }

 private:
  const Programs& programs_;
  std::map<int, std::shared_ptr<const CallSequence>> kept_;
  std::size_t kept_calls_ = 0;
};

/// First reading: where each rank's loops are.
std::vector<std::vector<PeriodicCalls>> find_loops_of_ranks(Reader& reader, int ranks) {
  std::vector<std::vector<PeriodicCalls>> loops;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto sequence = reader.read(rank);
    if (sequence == nullptr) return {};
    loops.push_back(find_loops(sequence->calls));
    if (loops.back().empty()) return {};
  }
  return loops;
}

std::size_t kept_calls(const FoldedRank& rank) {
  std::size_t calls = 0;
  for (const Segment& segment : rank.segments)
    calls += segment.calls.size();
  return calls;
}

std::vector<Found> begin_to_find(const Programs& programs, std::span<const RankLoop> loops,
                                 std::int64_t most_iterations) {
  // So that two consecutive ones have different places.
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(most_iterations, 2 * samples_in_a_row));
  std::vector<Found> found;
  for (const RankLoop& loop : loops) {
    const std::size_t affordable =
        most_sampled_times / static_cast<std::size_t>(programs.ranks()) / loop.period / loops.size();
    found.push_back({LoopBalance(programs), {}, std::min(wanted, affordable)});
  }
  return found;
}

/// Third reading: the samples' own times, and the usual ones where what comes and goes is a disturbance.
/// @param varying  by the loops' numbers; not of those whose work does not vary
void keep_times(Reader& reader, const std::vector<std::vector<RankLoop>>& loops,
                std::map<std::size_t, Varying>& varying, FoldedPrograms& folded) {
  if (varying.empty()) return;
  for (std::size_t rank = 0; rank < folded.ranks.size(); ++rank) {
    const auto sequence = reader.read(static_cast<int>(rank));
    for (auto& [l, of_loop] : varying) {
      Segment& segment = folded.ranks[rank].segments[2 * l + 1];
      segment.mean_seconds =
          std::exchange(segment.seconds, times_of(*sequence, loops[rank][l], of_loop.samples.iterations));
      const std::vector<std::size_t>& some = of_loop.usual.iterations;
      segment.undisturbed_seconds =
          of_loop.undisturbed.add_rank(times_of(*sequence, loops[rank][l], some), some.size());
    }
    reader.forget(static_cast<int>(rank));
  }
  for (const auto& [l, of_loop] : varying) {
    folded.loops[l].work_moves = of_loop.undisturbed.moves();
    const auto factor = static_cast<float>(of_loop.undisturbed.factor());
    for (FoldedRank& rank : folded.ranks) {
      std::vector<float>& undisturbed_s = rank.segments[2 * l + 1].undisturbed_seconds;
      if (folded.loops[l].work_moves) undisturbed_s.clear();
      for (float& seconds : undisturbed_s)
        seconds *= factor;
    }
  }
}

std::optional<FoldedPrograms> fold_as_they_are(const Programs& programs, const ReplayOptions& options) {
  Reader reader(programs);
  const auto found_loops = find_loops_of_ranks(reader, programs.ranks());
  if (found_loops.empty()) return std::nullopt;
  const auto agreed = agree(found_loops);
  if (!agreed) return std::nullopt;

  // Second reading: what they do there.
  FoldedPrograms folded;
  std::vector<Found> found = begin_to_find(programs, agreed->front(), options.most_iterations);
  std::size_t calls = 0;
  for (int rank = 0; rank < programs.ranks(); ++rank) {
    const auto sequence = reader.read(rank);
    const std::vector<RankLoop>& loops = (*agreed)[static_cast<std::size_t>(rank)];
    folded.ranks.push_back(fold_rank(*sequence, loops));
    for (std::size_t l = 0; l < loops.size(); ++l) {
      if (!requests_are_closed(*sequence, loops[l])) return std::nullopt;
      const std::vector<float>& means_s = folded.ranks.back().segments[2 * l + 1].seconds;
      for (std::size_t call = loops[l].first; call < loops[l].first + loops[l].period; ++call)
        found[l].balance.add(rank, *sequence->bodies[sequence->calls[call]]);
      found[l].noise.add_rank(work_of_iterations(*sequence, loops[l]),
                              deviations_of_iterations(*sequence, loops[l], means_s));
    }
    calls += kept_calls(folded.ranks.back());
    if (calls > most_calls_of_all) return std::nullopt;
  }
  std::map<std::size_t, Varying> varying_loops;
  for (std::size_t l = 0; l < found.size(); ++l) {
    if (!found[l].balance.is_closed()) return std::nullopt;
    CommonLoop& loop = folded.loops.emplace_back();
    loop.iterations = static_cast<std::int64_t>(agreed->front()[l].iterations);
    loop.is_coupled = found[l].balance.is_coupled();
    loop.noise = found[l].noise.relative();
    if (found[l].noise.deviation() <= most_deviation) continue;
    // Ranks that do not wait for one another drift apart in ever new ways.
    if (!loop.is_coupled) return std::nullopt;
    const auto& [number, of_loop] = *varying_loops.emplace(l, varying(found[l], folded.ranks.size())).first;
    loop.samples = of_loop.samples.stand_for;
  }
  keep_times(reader, *agreed, varying_loops, folded);
  return folded;
}

}  // namespace

std::optional<FoldedPrograms> fold(const Programs& programs, const ReplayOptions& options) {
  if (options.repeat_tolerance <= 0) return std::nullopt;
  if (auto folded = fold_as_they_are(programs, options)) return folded;
  // A program that repeats nothing without any tags repeats nothing without some. That is read off one rank,
  // and which tags decide something only off all of them.
  const auto untagged_calls = read_calls(*without_tags(programs.rank(0)));
  if (!untagged_calls || find_loops(untagged_calls->calls).empty()) return std::nullopt;
  const UntaggedPrograms untagged(programs);
  return untagged.leaves_out_any() ? fold_as_they_are(untagged, options) : std::nullopt;
}

}  // namespace finegrain::replay
