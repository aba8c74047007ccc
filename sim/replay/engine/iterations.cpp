// SPDX-License-Identifier: MIT
#include "sim/replay/engine/iterations.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace finegrain::replay {

RepeatedIterations::RepeatedIterations(const ReplayJob& job, const ReplayOptions& options, Compiler& compiler)
    : programs_(compile(job, compiler)), begun_(programs_.size(), 0), count_(*job.schedule, options) {}

const CompiledBody* RepeatedIterations::next(std::size_t rank) {
  if (begun_[rank] >= count_.to_simulate(rank)) return nullptr;
  count_.started(rank, begun_[rank]++);
  return &programs_[rank];
}

StreamedIterations::StreamedIterations(const ReplayJob& job, Compiler& compiler)
    : compiler_(compiler), compute_scale_(job.compute_scale) {
  // A recording keeps a file a rank open.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  for (int rank = 0; rank < job.programs->ranks(); ++rank)
    ranks_.emplace_back().cursor = job.programs->rank(rank);
}

const CompiledBody* StreamedIterations::next(std::size_t number) {
  Rank& rank = ranks_[number];
  while (rank.left == 0) {
    const Loop* loop = rank.cursor->next();
    if (loop == nullptr) return nullptr;
    CompiledBody& program = compiled(number, loop->body);
    for (const CompiledBody::TimedStep& timed : program.timed_steps)
      program.steps[timed.step].amount = loop->regions_s[timed.region] * compute_scale_;
    rank.program = &program;
    rank.left = loop->count;
  }
  --rank.left;
  ++rank.begun;
  return rank.program;
}

CompiledBody& StreamedIterations::compiled(std::size_t number, const std::shared_ptr<const Body>& shared) {
  constexpr std::size_t most_operations = 2048;  // of a generation of bodies
  Rank& rank = ranks_[number];
  const Body& body = *shared;
  const auto known = rank.known.find(&body);
  if (known != rank.known.end()) return known->second.program;
  if (rank.known_operations > most_operations) {
    rank.known_before = std::exchange(rank.known, {});
    rank.known_operations = 0;
  }
  rank.known_operations += body.operations.size();
  if (auto before = rank.known_before.extract(&body); !before.empty())
    return rank.known.insert(std::move(before)).position->second.program;
  Compiled& compiled = rank.known[&body];
  compiled.body = shared;
  compiled.program = compiler_.compile(body, static_cast<int>(number), {}, Requested::one_by_one);
  std::map<RegionName, std::int32_t> seen;
  for (std::size_t r = 0; r < body.regions.size(); ++r) {
    const RegionName name = body.regions[r].name;
    const auto [known_place, is_new] =
        rank.places.try_emplace({name, seen[name]++}, static_cast<std::uint32_t>(rank.regions.size()));
    if (is_new) rank.regions.push_back(name);
    compiled.program.region_places[r] = known_place->second;
  }
  return compiled.program;
}

RankReplay StreamedIterations::completed(std::size_t rank, RankReplay simulated) const {
  simulated.phases_s.resize(ranks_[rank].regions.size(), 0);
  return simulated;
}

void StreamedIterations::report(ReplayResult& result) const {
  for (const Rank& rank : ranks_) {
    result.simulated_iterations = std::max(result.simulated_iterations, rank.begun);
    auto& names = result.regions.emplace_back();
    for (const RegionName name : rank.regions)
      names.emplace_back(name.text());
  }
}

}  // namespace finegrain::replay
