// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <string>

#include "sim/collectives/decisions.hpp"
#include "sim/collectives/rank_call.hpp"
#include "sim/replay/programs/body_compiler.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

int rounds(int participants) {
  return std::bit_width(static_cast<unsigned>(participants) - 1);
}

/// An MPI library's decisions. They are kept, because chosen algorithms point into them.
const collectives::Decisions& decisions_of_library(const std::string& mpi) {
  static std::map<std::string, collectives::Decisions> known;
  return known.try_emplace(mpi, mpi).first->second;
}

}  // namespace

CompiledBody::CollectiveStep Compiler::collective_step(const Collective& collective, const Body& body,
                                                       int rank) const {
  const SchedulePrograms of_schedule(*job_.schedule);
  const Programs& programs = job_.programs != nullptr ? *job_.programs : of_schedule;
  const collectives::Decisions& decisions =
      decisions_of(rank) != nullptr ? *decisions_of(rank) : decisions_of_library(job_.platform->mpi);
  const collectives::RankCall of_rank = collectives::rank_call(collective, body, programs, rank);
  CompiledBody::CollectiveStep step{
      .call = of_rank.call, .choice = {}, .communicator = collective.communicator, .ranks = of_rank.ranks};
  if (step.call.ranks > 1) step.choice = decisions.choose(step.call);
  return step;
}

CompiledBody Compiler::compile_round(const CompiledBody::CollectiveStep& collective, std::int64_t round,
                                     int rank, std::int32_t instance) {
  round_.clear();
  collectives::round(round, collective.call, collective.choice, round_);
  Body body;
  body.begin_region(regions::wait);
  for (Operation& operation : round_) {
    if (auto* post = std::get_if<Post>(&operation)) {
      if (!collective.ranks.empty()) post->peer = collective.ranks[static_cast<std::size_t>(post->peer)];
      post->communicator = -1 - collective.communicator;  // apart from the program's own messages
      post->tag = instance;
    }
    body.add(operation);
  }
  CompiledBody compiled = BodyCompiler(*this, body, rank, Requested::one_by_one, false).compile({});
  compiled.steps.pop_back();  // the region's end
  return compiled;
}

/// A dissemination barrier: ceil(log2(nodes)) rounds between nodes, in round r node i to node i + 2^r, each
/// as long as its slowest route + message_overhead; and ceil(log2(ranks of a node)) rounds of local_latency.
double Compiler::barrier_s(const std::vector<int>& nodes, int most_ranks_on_a_node) {
  double seconds = rounds(most_ranks_on_a_node) * costs_.local_latency_s;
  if (nodes.size() > 1) check_fixed_latencies();
  for (std::size_t distance = 1; distance < nodes.size(); distance *= 2) {
    double slowest_s = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      slowest_s =
          std::max(slowest_s, loaded_.route(nodes[n], nodes[(n + distance) % nodes.size()]).latency_s);
    seconds += slowest_s + costs_.message_overhead_s;
  }
  return seconds;
}

double Compiler::barrier_s(int rank) {
  if (!options_.barriers_take_time) return 0;
  const std::span<const int> groups = job_.groups.of_ranks;
  const int group = groups.empty() ? 0 : groups[static_cast<std::size_t>(rank)];
  const auto known = barriers_s_.find(group);
  if (known != barriers_s_.end()) return known->second;
  std::vector<int> nodes;
  int most_ranks = placement_.most_ranks_on_a_node();
  if (groups.empty()) {
    nodes.resize(static_cast<std::size_t>(placement_.nodes()));
    std::iota(nodes.begin(), nodes.end(), 0);
  } else {
    std::map<int, int> ranks_of_nodes;
    for (int other = 0; other < placement_.ranks(); ++other) {
      const int node = placement_.node(other);
      if (groups[static_cast<std::size_t>(other)] == group && ++ranks_of_nodes[node] == 1)
        nodes.push_back(node);
    }
    most_ranks = 0;
    for (const auto& [node, ranks] : ranks_of_nodes)
      most_ranks = std::max(most_ranks, ranks);
  }
  return barriers_s_[group] = barrier_s(nodes, most_ranks);
}

}  // namespace finegrain::replay
