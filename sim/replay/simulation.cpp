// SPDX-License-Identifier: MIT
#include "sim/replay/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <span>
#include <utility>

#include "sim/replay/rank_actor.hpp"
#include "sim/replay/rank_program.hpp"
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

/// Barriers are met by all ranks or none: check_schedule().
bool has_barrier(const Schedule& schedule) {
  return std::ranges::any_of(schedule.ranks.front().phases,
                             [](const Phase& phase) { return phase.kind == PhaseKind::barrier; });
}

}  // namespace

ReplayResult simulate(const ReplayJob& job, const ReplayOptions& options) {
  World world(job, options);
  const auto latency_s = [&](int from, int to) { return world.machine.latency_s(from, to); };
  // Without a barrier, nodes that exchange no message need no route to one another.
  const double barrier_s =
      has_barrier(*job.schedule) ? barrier_seconds(world.placement, job.platform->costs, latency_s) : 0;
  const RankSetting setting{world.placement, job.platform->costs, latency_s, barrier_s};
  std::vector<sg4::ActorPtr> actors;
  std::deque<RankActor> ranks;
  for (int rank = 0; rank < world.placement.ranks(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    const std::span<const double> durations_s = job.durations != nullptr
                                                    ? std::span<const double>((*job.durations)[index])
                                                    : std::span<const double>();
    RankProgram program = make_program(job.schedule->ranks[index], rank, setting, durations_s);
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
