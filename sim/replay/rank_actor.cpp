// SPDX-License-Identifier: MIT
#include "sim/replay/rank_actor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace finegrain {

namespace sg4 = simgrid::s4u;

namespace {

void pass(double seconds) {
  if (seconds >= clock_resolution_s) sg4::this_actor::sleep_for(seconds);
}

/// Flows are of whole bytes, and SimGrid ignores those of none.
std::uint64_t flow_bytes(double bytes) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(bytes)));
}

}  // namespace

RankActor::RankActor(World& world, int rank, const RankProgram& program)
    : world_(world), rank_(rank), program_(program), phases_s_(program.regions, 0) {}

void RankActor::operator()() {
  const auto index = static_cast<std::size_t>(rank_);
  try {
    for (std::int64_t iteration = 0; iteration < world_.iterations.to_simulate(index); ++iteration) {
      world_.iterations.started(index, iteration);
      execute_iteration();
      world_.iterations.finished(index, sg4::Engine::get_clock(), phases_s_);
    }
    world_.result.ranks[index] = world_.iterations.completed(index, {sg4::Engine::get_clock(), phases_s_});
  } catch (const simgrid::Exception&) {
    // A link or host that the platform file switches off: no rank can go on.
    if (!world_.failure) world_.failure = std::current_exception();
    sg4::Actor::kill_all();
  }
}

void RankActor::execute_iteration() {
  std::size_t region = 0;
  double region_start_s = sg4::Engine::get_clock();
  for (const Step& step : program_.steps) {
    if (step.kind == Step::Kind::end_region) {
      const double now_s = sg4::Engine::get_clock();
      phases_s_[region++] += now_s - region_start_s;
      region_start_s = now_s;
    } else {
      execute(step);
    }
  }
}

void RankActor::execute(const Step& step) {
  switch (step.kind) {
    case Step::Kind::memory:
      sg4::this_actor::exec_init(step.amount)
          ->set_host(world_.memory(rank_))
          ->set_bound(world_.rank_memory_bandwidth_bytes_per_s)
          ->wait();
      break;
    case Step::Kind::delay:
      pass(step.amount);
      break;
    case Step::Kind::put:
      ++world_.result.flows;
      sg4::Comm::sendto(world_.host(rank_), world_.host(step.peer), flow_bytes(step.amount));
      break;
    case Step::Kind::get:
      ++world_.result.flows;
      sg4::Comm::sendto(world_.host(step.peer), world_.host(rank_), flow_bytes(step.amount));
      break;
    case Step::Kind::start_put:
      start_flow(world_.host(rank_), world_.host(step.peer), step);
      break;
    case Step::Kind::start_get:
      start_flow(world_.host(step.peer), world_.host(rank_), step);
      break;
    case Step::Kind::open:
      request_ += step.peer;
      break;
    case Step::Kind::close:
      --request_;
      break;
    case Step::Kind::expect:
      expected_.push_back({request_, sg4::Engine::get_clock() + step.amount});
      break;
    case Step::Kind::send:
      ++world_.result.flows;
      // SimGrid wants something to carry.
      sends_.push_back(
          {request_, world_.channels[step.target].mailbox->put_async(this, flow_bytes(step.amount))});
      break;
    case Step::Kind::deliver: {
      ActorChannel& channel = world_.channels[step.target];
      channel.there_s[channel.sent++] = sg4::Engine::get_clock() + step.latency_s;
      channel.delivered->release();
      break;
    }
    case Step::Kind::receive:
      flows_.push_back({request_, world_.channels[step.target].mailbox->get_async(&received_), step.amount,
                        sg4::Engine::get_clock()});
      break;
    case Step::Kind::collect: {
      ActorChannel& channel = world_.channels[step.target];
      collects_.push_back({request_, &channel, channel.expected++});
      break;
    }
    case Step::Kind::wait:
      wait_for(0, request_ + 1);
      break;
    case Step::Kind::wait_some: {
      const std::int64_t from = request_ + 1 - step.target;
      wait_for(from, from + step.peer);
      break;
    }
    case Step::Kind::barrier:
      world_.barrier->wait();
      pass(step.amount);
      break;
    case Step::Kind::end_region:
      break;
  }
}

void RankActor::start_flow(sg4::Host* from, sg4::Host* to, const Step& step) {
  ++world_.result.flows;
  flows_.push_back({request_, sg4::Comm::sendto_async(from, to, flow_bytes(step.amount)), step.latency_s,
                    sg4::Engine::get_clock()});
}

void RankActor::wait_for(std::int64_t from, std::int64_t to) {
  double last_s = 0;
  const auto take = [&](auto& parts, auto wait) {
    std::erase_if(parts, [&](auto& part) {
      if (part.request < from || part.request >= to) return false;
      wait(part);
      return true;
    });
  };
  take(expected_, [&](const Expected& part) { last_s = std::max(last_s, part.complete_s); });
  take(sends_, [&](const Send& part) { part.flow->wait(); });
  take(flows_, [&](const Flow& part) {
    part.flow->wait();
    // SimGrid notes no finish time where the receive was posted at the very moment the flow ended.
    const double finish_s = part.flow->get_finish_time();
    last_s = std::max(last_s, (finish_s < 0 ? part.posted_at_s : finish_s) + part.latency_s);
  });
  take(collects_, [&](const Collect& part) {
    ActorChannel& channel = *part.channel;
    for (; channel.acquired <= part.number; ++channel.acquired)
      channel.delivered->acquire();
    last_s = std::max(last_s, channel.there_s.at(part.number));
    channel.there_s.erase(part.number);
  });
  pass(last_s - sg4::Engine::get_clock());
}

}  // namespace finegrain
