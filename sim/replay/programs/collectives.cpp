// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <bit>

#include "sim/collectives/decisions.hpp"
#include "sim/collectives/rank_call.hpp"
#include "sim/replay/programs/body_compiler.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

int rounds(int participants) {
  return std::bit_width(static_cast<unsigned>(participants) - 1);
}

}  // namespace

CompiledBody::CollectiveStep Compiler::collective_step(const Collective& collective, const Body& body,
                                                       int rank) const {
  if (job_.decisions == nullptr || job_.programs == nullptr)
    throw InputError("replay", "no MPI library says how collective operations are done", "Name one");
  const collectives::RankCall of_rank = collectives::rank_call(collective, body, *job_.programs, rank);
  CompiledBody::CollectiveStep step{
      .call = of_rank.call, .choice = {}, .communicator = collective.communicator, .ranks = of_rank.ranks};
  if (step.call.ranks > 1) step.choice = job_.decisions->choose(step.call);
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
double Compiler::barrier_s() {
  if (!options_.barriers_take_time) return 0;
  if (barrier_s_) return *barrier_s_;
  const int nodes = placement_.nodes();
  double seconds = rounds(placement_.most_ranks_on_a_node()) * costs_.local_latency_s;
  for (int distance = 1; distance < nodes; distance *= 2) {
    double slowest_s = 0;
    for (int node = 0; node < nodes; ++node)
      slowest_s = std::max(slowest_s, loaded_.route(node, (node + distance) % nodes).latency_s);
    seconds += slowest_s + costs_.message_overhead_s;
  }
  return barrier_s_.emplace(seconds);
}

}  // namespace finegrain::replay
