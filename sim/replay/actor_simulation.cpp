// SPDX-License-Identifier: MIT
#include "sim/replay/actor_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <utility>

#include "sim/replay/compiler.hpp"
#include "sim/replay/rank_actor.hpp"
#include "sim/replay/world.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

namespace sg4 = simgrid::s4u;

/// A mailbox with a receiver takes a message before it is asked for: the flow starts when the message is
/// sent.
void make_channels(World& world, const std::vector<Connection>& connections,
                   const std::vector<sg4::ActorPtr>& actors) {
  world.channels.resize(connections.size());
  for (std::size_t c = 0; c < connections.size(); ++c) {
    world.channels[c].mailbox = sg4::Mailbox::by_name(fmt::format("connection {}", c));
    world.channels[c].mailbox->set_receiver(actors[connections[c].receiver]);
  }
}

}  // namespace

ReplayResult simulate_with_actors(const ReplayJob& job, const ReplayOptions& options) {
  World world(job, options);
  std::vector<sg4::ActorPtr> actors;
  std::deque<RankActor> ranks;
  const RoutedPrograms routed = compile(job, world.placement, world.machine);
  for (const RankProgram& program : routed.programs) {
    const int rank = static_cast<int>(ranks.size());
    RankActor& actor = ranks.emplace_back(world, rank, program);
    actors.push_back(
        sg4::Actor::create(fmt::format("rank {}", rank), world.host(rank), [&actor] { actor(); }));
  }
  make_channels(world, routed.connections, actors);
  world.machine.share_bandwidth_equally();

  sg4::Engine::on_deadlock_cb([&world] {
    if (!world.failure) {
      world.failure = std::make_exception_ptr(InputError(
          "schedule: the ranks wait for one another forever (a message or a barrier is missing). Check the "
          "trace it comes from"));
    }
  });
  world.machine.run();
  if (world.failure) std::rethrow_exception(world.failure);

  for (const RankReplay& rank : world.result.ranks)
    world.result.total_s = std::max(world.result.total_s, rank.finish_s);
  world.iterations.report(world.result);
  return std::move(world.result);
}

}  // namespace finegrain
