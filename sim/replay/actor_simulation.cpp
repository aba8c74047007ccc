// SPDX-License-Identifier: MIT
#include "sim/replay/actor_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <utility>

#include "sim/replay/job_programs.hpp"
#include "sim/replay/rank_actor.hpp"
#include "sim/replay/world.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

namespace sg4 = simgrid::s4u;

void make_channels(World& world, const RankProgram& program, int rank) {
  for (const Step& step : program.steps) {
    if (step.kind == Step::Kind::receive) {
      world.mailboxes[{step.peer, rank}] = sg4::Mailbox::by_name(fmt::format("{} to {}", step.peer, rank));
    } else if (step.kind == Step::Kind::collect) {
      world.local_channels.try_emplace({step.peer, rank});
    }
  }
}

}  // namespace

ReplayResult simulate_with_actors(const ReplayJob& job, const ReplayOptions& options) {
  World world(job, options);
  std::vector<sg4::ActorPtr> actors;
  std::deque<RankActor> ranks;
  for (RankProgram& program : make_programs(job, world.placement, world.machine)) {
    const int rank = static_cast<int>(ranks.size());
    make_channels(world, program, rank);
    RankActor& actor = ranks.emplace_back(world, rank, std::move(program));
    actors.push_back(
        sg4::Actor::create(fmt::format("rank {}", rank), world.host(rank), [&actor] { actor(); }));
  }
  // A mailbox with a receiver takes a message before it is asked for: the flow starts when the message is
  // sent.
  for (const auto& [ends, mailbox] : world.mailboxes)
    mailbox->set_receiver(actors[static_cast<std::size_t>(ends.second)]);
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
