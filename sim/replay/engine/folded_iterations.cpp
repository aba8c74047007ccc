// SPDX-License-Identifier: MIT
#include "sim/replay/engine/folded_iterations.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace finegrain::replay {

FoldedIterations::FoldedIterations(const FoldedPrograms& programs, WorkTimes work,
                                   const ReplayOptions& options, Compiler& compiler)
    : programs_(programs),
      compiler_(compiler),
      work_(work),
      ranks_(programs.ranks.size()),
      most_iterations_(options.repeat_tolerance > 0 ? options.most_iterations
                                                    : std::numeric_limits<std::int64_t>::max()) {
  for (const CommonLoop& loop : programs.loops) {
    Count& count = counts_.emplace_back();
    if (!loop.samples.empty() && (work_ == WorkTimes::as_recorded || keeps_work(loop))) {
      count.samples.emplace(ranks_.size(), loop.samples);
    } else {
      count.until_it_repeats.emplace(ranks_.size(), loop.iterations, options, loop.is_coupled);
    }
  }
}

std::int64_t FoldedIterations::iterations_to_do(std::size_t number) const {
  const Rank& rank = ranks_[number];
  if (!is_loop(rank)) return programs_.ranks[number].segments[rank.segment].calls.empty() ? 0 : 1;
  const Count& count = counts_[rank.segment / 2];
  return count.samples ? count.samples->samples() : count.until_it_repeats->to_simulate(number);
}

/// @returns whether there is one, of this segment or a later one
bool FoldedIterations::begin_iteration(std::size_t number) {
  Rank& rank = ranks_[number];
  while (rank.iteration >= iterations_to_do(number)) {
    if (++rank.segment == programs_.ranks[number].segments.size()) return false;
    rank.iteration = 0;
    rank.time = 0;
  }
  rank.call = 0;
  if (!is_loop(rank)) return true;
  Count& count = counts_[rank.segment / 2];
  const auto so_far = [&] { return rank.so_far != nullptr ? *rank.so_far : RankReplay(); };
  if (count.samples) {
    if (rank.iteration == 0) count.samples->began(number, so_far());
    return true;
  }
  rank.time = 0;
  if (rank.iteration == 0) count.until_it_repeats->began(number, so_far());
  count.until_it_repeats->started(number, rank.iteration);
  return true;
}

const CompiledBody* FoldedIterations::next(std::size_t number) {
  // Longer loops take less memory as bodies that are used again.
  constexpr std::size_t most_calls_in_one = 512;
  Rank& rank = ranks_[number];
  const FoldedRank& folded = programs_.ranks[number];
  if (rank.segment == folded.segments.size()) return nullptr;
  if (rank.call == 0 && !begin_iteration(number)) return nullptr;
  const bool is_one = is_loop(rank) && folded.segments[rank.segment].calls.size() <= most_calls_in_one;
  return is_one ? next_iteration(number) : next_call(number);
}

const CompiledBody* FoldedIterations::next_call(std::size_t number) {
  Rank& rank = ranks_[number];
  const FoldedRank& folded = programs_.ranks[number];
  const Segment& segment = folded.segments[rank.segment];
  const std::uint32_t body = segment.calls[rank.call++];
  CompiledBody& program = rank.bodies.of(folded.bodies[body], static_cast<int>(number), compiler_);
  const double work_scale = compiler_.work_scale(static_cast<int>(number));
  for (const std::uint32_t region : folded.timed_regions[body]) {
    const double seconds = static_cast<double>(seconds_of(segment)[rank.time++]);
    for (const CompiledBody::TimedStep& timed : program.timed_steps)
      if (timed.region == region) program.steps[timed.step].seconds = timed.seconds(seconds, work_scale);
  }
  ++rank.calls;
  return &program;
}

const CompiledBody* FoldedIterations::next_iteration(std::size_t number) {
  Rank& rank = ranks_[number];
  const Segment& segment = programs_.ranks[number].segments[rank.segment];
  const bool is_new = rank.loop_segment != rank.segment;
  if (is_new) {
    rank.loop_program = compile_iteration(number);
    rank.loop_segment = rank.segment;
  }
  if (is_new || counts_[rank.segment / 2].samples) {
    for (const CompiledBody::TimedStep& timed : rank.loop_program.timed_steps)
      rank.loop_program.steps[timed.step].seconds =
          timed.seconds(static_cast<double>(seconds_of(segment)[rank.time + timed.region]),
                        compiler_.work_scale(static_cast<int>(number)));
  }
  rank.time += rank.times_of_loop;
  rank.call = segment.calls.size();
  rank.calls += std::ssize(segment.calls);
  return &rank.loop_program;
}

/// The calls of a loop as one program, whose steps lie side by side. Its timed steps have as region the place
/// of their time among those of the iteration.
CompiledBody FoldedIterations::compile_iteration(std::size_t number) {
  Rank& rank = ranks_[number];
  const FoldedRank& folded = programs_.ranks[number];
  CompiledBody all;
  rank.times_of_loop = 0;
  for (const std::uint32_t body : folded.segments[rank.segment].calls) {
    const CompiledBody& call = rank.bodies.of(folded.bodies[body], static_cast<int>(number), compiler_);
    const auto first_step = static_cast<std::uint32_t>(all.steps.size());
    const auto first_collective = static_cast<std::uint32_t>(all.collectives.size());
    all.steps.insert(all.steps.end(), call.steps.begin(), call.steps.end());
    for (Step& step : std::span(all.steps).subspan(first_step))
      if (step.kind == Step::Kind::collective || step.kind == Step::Kind::start_collective)
        step.collective += first_collective;
    all.collectives.insert(all.collectives.end(), call.collectives.begin(), call.collectives.end());
    all.region_places.insert(all.region_places.end(), call.region_places.begin(), call.region_places.end());
    for (const std::uint32_t region : folded.timed_regions[body]) {
      for (const CompiledBody::TimedStep& timed : call.timed_steps) {
        if (timed.region != region) continue;
        all.timed_steps.push_back({first_step + timed.step, rank.times_of_loop, timed.is_compute});
      }
      ++rank.times_of_loop;
    }
  }
  return all;
}

void FoldedIterations::finished(std::size_t number, const RankReplay& so_far) {
  Rank& rank = ranks_[number];
  rank.so_far = &so_far;
  if (rank.call < programs_.ranks[number].segments[rank.segment].calls.size()) return;
  if (is_loop(rank)) {
    Count& count = counts_[rank.segment / 2];
    if (count.samples) {
      count.samples->finished(number, so_far);
    } else {
      count.until_it_repeats->finished(number, so_far);
    }
  }
  ++rank.iteration;
  rank.call = 0;
}

RankReplay FoldedIterations::completed(std::size_t number, RankReplay simulated) const {
  simulated.phases_s.resize(ranks_[number].bodies.regions(), 0);
  for (const Count& count : counts_) {
    simulated = count.samples ? count.samples->completed(number, std::move(simulated))
                              : count.until_it_repeats->completed(number, std::move(simulated));
  }
  return simulated;
}

/// In calls, of which a loop's are counted as often as it is simulated at most.
Position FoldedIterations::position(std::size_t number) const {
  const Rank& rank = ranks_[number];
  const std::vector<Segment>& segments = programs_.ranks[number].segments;
  double before = 0;
  double all = 0;
  double of_iteration = 0;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    std::int64_t iterations = 1;
    if (s % 2 == 1) {
      const Count& count = counts_[s / 2];
      iterations = count.samples ? count.samples->samples()
                                 : std::min(count.until_it_repeats->to_simulate(number), most_iterations_);
    }
    const auto calls = static_cast<double>(segments[s].calls.size());
    if (s == rank.segment) {
      iterations = std::max(iterations, rank.iteration + 1);
      const bool is_one = s % 2 == 1 && rank.call == segments[s].calls.size();
      before = all + calls * static_cast<double>(rank.iteration) +
               (is_one || rank.call == 0 ? 0 : static_cast<double>(rank.call - 1));
      of_iteration = is_one ? calls : 1;
    }
    all += calls * static_cast<double>(iterations);
  }
  if (rank.segment >= segments.size() || all == 0) return {1, 0};
  return {std::min(1.0, before / all), of_iteration / all};
}

void FoldedIterations::report(ReplayResult& result) const {
  for (const Rank& rank : ranks_) {
    result.simulated_iterations = std::max(result.simulated_iterations, rank.calls);
    result.regions.push_back(rank.bodies.names());
  }
  for (std::size_t l = 0; l < counts_.size(); ++l) {
    FoldedLoop& loop = result.loops.emplace_back();
    loop.iterations = programs_.loops[l].iterations;
    loop.calls = std::ssize(programs_.ranks.front().segments[2 * l + 1].calls);
    loop.noise = programs_.loops[l].noise;
    loop.varies = !programs_.loops[l].samples.empty();
    loop.keeps_work = keeps_work(programs_.loops[l]);
    loop.is_usual = work_ == WorkTimes::undisturbed && loop.varies && !loop.keeps_work;
    if (const auto& samples = counts_[l].samples) {
      loop.is_sampled = true;
      loop.simulated = samples->samples();
      loop.standard_error_s = samples->standard_error_s();
      continue;
    }
    ReplayResult of_loop;
    counts_[l].until_it_repeats->report(of_loop);
    loop.simulated = of_loop.simulated_iterations;
    result.repeats = result.repeats && of_loop.repeats;
    result.repeat_change = std::max(result.repeat_change, of_loop.repeat_change);
  }
}

}  // namespace finegrain::replay
