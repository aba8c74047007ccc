// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/collectives/decisions.hpp"
#include "sim/replay/programs/compiler.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

int rounds(int participants) {
  return std::bit_width(static_cast<unsigned>(participants) - 1);
}

}  // namespace

CompiledBody::CollectiveStep Compiler::collective_step(const Collective& collective,
                                                       std::span<const std::int64_t> sizes, int rank) const {
  if (job_.decisions == nullptr || job_.programs == nullptr)
    throw InputError("replay", "no MPI library says how collective operations are done", "Name one");
  CompiledBody::CollectiveStep step{
      .call = {.kind = collective.kind,
               .blocking = collective.blocking,
               .commutative = collective.commutative,
               .ranks = placement_.ranks(),
               .rank = rank,
               .root = collective.root,
               .element_bytes = collective.element_bytes,
               .size_bytes = collective.size_bytes,
               .sizes = sizes.subspan(static_cast<std::size_t>(collective.first_size),
                                      static_cast<std::size_t>(collective.size_count))},
      .choice = {},
      .communicator = collective.communicator,
      .ranks = {}};
  if (collective.communicator != 0) {
    step.ranks = job_.programs->communicator(collective.communicator);
    const auto place = std::ranges::find(step.ranks, rank);
    if (place == step.ranks.end())
      throw InputError(fmt::format("rank {}", rank), "calls a collective of a communicator that it is not in",
                       "Record the trace again");
    step.call.ranks = static_cast<int>(step.ranks.size());
    step.call.rank = static_cast<int>(place - step.ranks.begin());
  }
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
  CompiledBody compiled = compile(body, rank, {}, Requested::one_by_one);
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
