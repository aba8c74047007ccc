// SPDX-License-Identifier: MIT
#include "sim/replay/rank_actor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

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

RankActor::RankActor(World& world, int rank, RankProgram program)
    : world_(world), rank_(rank), program_(std::move(program)), phases_s_(program_.phases, 0) {}

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
  std::size_t phase = 0;
  double phase_start_s = sg4::Engine::get_clock();
  for (const Step& step : program_.steps) {
    if (step.kind == Step::Kind::end_phase) {
      const double now_s = sg4::Engine::get_clock();
      phases_s_[phase++] += now_s - phase_start_s;
      phase_start_s = now_s;
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
    case Step::Kind::expect:
      started_until_s_ = std::max(started_until_s_, sg4::Engine::get_clock() + step.amount);
      break;
    case Step::Kind::send:
      ++world_.result.flows;
      // SimGrid wants something to carry.
      sends_.push_back(world_.mailboxes.at({rank_, step.peer})->put_async(this, flow_bytes(step.amount)));
      break;
    case Step::Kind::deliver: {
      LocalChannel& channel = world_.local_channels.at({rank_, step.peer});
      channel.there_at_s.push_back(sg4::Engine::get_clock() + step.latency_s);
      channel.delivered->release();
      break;
    }
    case Step::Kind::receive:
      pending_.push_back({world_.mailboxes.at({step.peer, rank_})->get_async(&received_), step.amount,
                          sg4::Engine::get_clock()});
      break;
    case Step::Kind::collect:
      collects_.push_back(&world_.local_channels.at({step.peer, rank_}));
      break;
    case Step::Kind::wait:
      wait_for_messages();
      break;
    case Step::Kind::barrier:
      world_.barrier->wait();
      pass(step.amount);
      break;
    case Step::Kind::end_phase:
      break;
  }
}

void RankActor::start_flow(sg4::Host* from, sg4::Host* to, const Step& step) {
  ++world_.result.flows;
  pending_.push_back(
      {sg4::Comm::sendto_async(from, to, flow_bytes(step.amount)), step.latency_s, sg4::Engine::get_clock()});
}

void RankActor::wait_for_messages() {
  double last_s = started_until_s_;
  for (const sg4::CommPtr& send : sends_)
    send->wait();
  for (const auto& [flow, latency_s, posted_at_s] : pending_) {
    flow->wait();
    // SimGrid notes no finish time where the receive was posted at the very moment the flow ended.
    const double end_s = flow->get_finish_time() < 0 ? posted_at_s : flow->get_finish_time();
    last_s = std::max(last_s, end_s + latency_s);
  }
  for (LocalChannel* channel : collects_) {
    channel->delivered->acquire();
    last_s = std::max(last_s, channel->there_at_s.front());
    channel->there_at_s.pop_front();
  }
  sends_.clear();
  pending_.clear();
  collects_.clear();
  pass(last_s - sg4::Engine::get_clock());
}

}  // namespace finegrain
