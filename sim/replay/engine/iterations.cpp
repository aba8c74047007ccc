// SPDX-License-Identifier: MIT
#include "sim/replay/engine/iterations.hpp"

#include <algorithm>
#include <utility>

#include "traces/share_read.hpp"

namespace finegrain::replay {

RepeatedIterations::RepeatedIterations(const ReplayJob& job, const ReplayOptions& options, Compiler& compiler)
    : programs_(compile(job, compiler)),
      most_iterations_(options.repeat_tolerance > 0
                           ? std::min(options.most_iterations, job.schedule->run.iterations)
                           : job.schedule->run.iterations),
      begun_(programs_.size(), 0),
      count_(*job.schedule, options) {}

const CompiledBody* RepeatedIterations::next(std::size_t rank) {
  if (begun_[rank] >= count_.to_simulate(rank)) return nullptr;
  count_.started(rank, begun_[rank]++);
  return &programs_[rank];
}

Position RepeatedIterations::position(std::size_t rank) const {
  const std::int64_t begun = begun_[rank];
  const std::int64_t all = std::max(begun, std::min(count_.to_simulate(rank), most_iterations_));
  if (begun == 0) return {};
  return {static_cast<double>(begun - 1) / static_cast<double>(all), 1 / static_cast<double>(all)};
}

StreamedIterations::StreamedIterations(const ReplayJob& job, Compiler& compiler) : compiler_(compiler) {
  for (int rank = 0; rank < job.programs->ranks(); ++rank)
    ranks_.emplace_back().cursor = job.programs->rank(rank);
}

const CompiledBody* StreamedIterations::next(std::size_t number) {
  Rank& rank = ranks_[number];
  while (rank.left == 0) {
    rank.share_before = share_read_by(*rank.cursor);
    const Loop* loop = rank.cursor->next();
    if (loop == nullptr) return nullptr;
    CompiledBody& program = rank.bodies.of(loop->body, static_cast<int>(number), compiler_);
    for (const CompiledBody::TimedStep& timed : program.timed_steps)
      program.steps[timed.step].seconds =
          timed.seconds(loop->regions_s[timed.region], compiler_.work_scale(static_cast<int>(number)));
    rank.program = &program;
    rank.left = loop->count;
    rank.of_program = loop->count;
  }
  --rank.left;
  ++rank.begun;
  return rank.program;
}

Position StreamedIterations::position(std::size_t number) const {
  const Rank& rank = ranks_[number];
  if (rank.of_program == 0) return {};
  const double of_iteration =
      std::max(0.0, share_read_by(*rank.cursor) - rank.share_before) / static_cast<double>(rank.of_program);
  return {rank.share_before + of_iteration * static_cast<double>(rank.of_program - rank.left - 1),
          of_iteration};
}

RankReplay StreamedIterations::completed(std::size_t rank, RankReplay simulated) const {
  simulated.phases_s.resize(ranks_[rank].bodies.regions(), 0);
  return simulated;
}

void StreamedIterations::report(ReplayResult& result) const {
  for (const Rank& rank : ranks_) {
    result.simulated_iterations = std::max(result.simulated_iterations, rank.begun);
    result.regions.push_back(rank.bodies.names());
  }
}

}  // namespace finegrain::replay
