// SPDX-License-Identifier: MIT
#include "sim/replay/engine/flow_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/replay/engine/folded_iterations.hpp"
#include "sim/replay/engine/progress.hpp"
#include "sim/replay/engine/simulation.hpp"
#include "sim/replay/observers/energy_meter.hpp"
#include "sim/replay/programs/sockets.hpp"
#include "sim/replay/self_scheduling/assigned_tasks.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

std::unique_ptr<Iterations> iterations_of(const ReplayJob& job, const ReplayOptions& options,
                                          Compiler& compiler) {
  if (job.folded != nullptr)
    return std::make_unique<FoldedIterations>(*job.folded, job.work, options, compiler);
  if (job.programs != nullptr) return std::make_unique<StreamedIterations>(job, compiler);
  return std::make_unique<RepeatedIterations>(job, options, compiler);
}

NodeMemory::Bandwidths bandwidths_of(const ReplayJob& job, const problem::Placement& placement) {
  return {memory_bandwidths(placement, *job.platform, job.hosts),
          rank_bandwidths(placement, job.schedule->run.threads_per_rank, *job.platform, job.hosts),
          job.platform->memory_domains};
}

/// What a put or get sends.
Sending transfer_of(std::int32_t own, const Step& step) {
  const bool is_get = step.kind == Step::Kind::get || step.kind == Step::Kind::start_get;
  const Sending::Way way = is_get             ? step.are_several ? Sending::Way::gets : Sending::Way::get
                           : step.are_several ? Sending::Way::puts
                                              : Sending::Way::put;
  return {is_get ? step.peer : own, is_get ? own : step.peer, step.route, step.bytes, way};
}

/// Ends that differ by about the clock's resolution are the same.
double without_rounding(double seconds) {
  return seconds > 2 * clock_resolution_s ? seconds : 0;
}

double& late_by_role(Waits& waits, Partner::Role role) {
  switch (role) {
    case Partner::Role::sender:
      return waits.late_sender_s;
    case Partner::Role::receiver:
      return waits.late_receiver_s;
    case Partner::Role::member:
      return waits.late_collective_s;
  }
  return waits.late_sender_s;
}

}  // namespace

FlowSimulation::FlowSimulation(const ReplayJob& job, const ReplayOptions& options, LoadedPlatform& loaded,
                               std::span<Observer* const> observers)
    : job_(job),
      loaded_(loaded),
      compiler_(placement_of(job), job.platform->costs, options, loaded, job),
      iterations_(iterations_of(job, options, compiler_)),
      ranks_(events_, static_cast<std::size_t>(compiler_.placement().ranks())),
      memory_(events_, bandwidths_of(job, compiler_.placement())),
      beside_(events_, ranks_.size()),
      matching_(ranks_.size()),
      barriers_(ranks_.size(), job.groups.of_ranks),
      changes_(events_, loaded),
      network_(make_network({events_, *this, *job.platform, loaded.link_bandwidths_bytes_per_s(),
                             ranks_.size(), options.share_tolerance, loaded})),
      observers_(observers) {
  for (Rank& rank : ranks_) {
    if (job.noise != nullptr) rank.noise.emplace(*job.noise, job.cores.seed, job.cores.first + rank.rank);
    if (!job.groups.starts_s.empty())
      rank.begins_s = job.groups.starts_s[static_cast<std::size_t>(job.groups.of_ranks[rank.rank])];
  }
  meet_routes();
}

void FlowSimulation::meet_routes() {
  while (network_->routes() < compiler_.routes().size())
    network_->add_route(*compiler_.routes()[network_->routes()]);
  matching_.grow(compiler_.connections().size());
  locks_.grow(compiler_.locks());
}

ReplayResult FlowSimulation::run() {
  for (std::size_t number = 0; number < ranks_.size(); ++number)
    events_.schedule(number, 0);
  Progress progress;
  do {
    changes_.schedule();
    while (const auto event = events_.next()) {
      progress.tell([&] { return share_done(); });
      if (changes_.are_due()) changes_.make(*network_);  // before all else at that time
      dispatch(event->source);
      ranks_.let_ready_go_on([&](std::size_t number) { go_on(number); });
      // Events whose times differ only by rounding happen at the same time: their order must not affect
      // shares.
      if (events_.next_s() <= now_s() + clock_resolution_s) continue;
      network_->settle();
      changes_.go_on();
    }
  } while (pass_over_a_wait());

  ReplayResult result;
  result.early_end = early_end();
  for (Rank& rank : ranks_) {
    if (!rank.has_finished && result.early_end.ranks > 0) {
      rank.replay = iterations_->completed(rank.rank, std::move(rank.replay));
    } else if (!rank.has_finished) {
      refuse_standstill();
    }
    result.total_s = std::max(result.total_s, rank.replay.finish_s);
    result.ranks.push_back(std::move(rank.replay));
  }
  result.flows = network_->flows();
  result.unloaded = network_->unloaded();
  result.wildcards = {matching_.wildcards(), matching_.out_of_order()};
  result.waits_passed_over = ranks_.passed_over();
  result.unreceived = matching_.unreceived(compiler_.connections());
  iterations_->report(result);
  if (result.early_end.ranks > 0 && result.simulated_iterations == 0)
    throw InputError("program", "no rank recorded a call before the run was killed (nothing to simulate)",
                     "Record it again, for two seconds at least");
  return result;
}

double FlowSimulation::share_done() const {
  constexpr std::size_t most_asked = 16;
  const std::size_t stride = std::max<std::size_t>(1, ranks_.size() / most_asked);
  double sum = 0;
  double asked = 0;
  for (std::size_t number = 0; number < ranks_.size(); number += stride) {
    const Rank& rank = ranks_[number];
    const auto [before, of_iteration] = rank.has_finished ? Position{1, 0} : iterations_->position(number);
    const std::size_t steps = rank.program != nullptr ? rank.program->steps.size() : 0;
    const double done = steps == 0 ? 0 : static_cast<double>(rank.step) / static_cast<double>(steps);
    sum += before + of_iteration * done;
    ++asked;
  }
  return sum / asked;
}

void FlowSimulation::dispatch(std::size_t source) {
  if (source < ranks_.size()) {
    go_on(source);
  } else if (memory_.owns(source)) {
    memory_.dispatch(source, [&](std::size_t number) {
      const double start_s = is_rank(number) ? ranks_[number].memory_start_s : now_s();
      wake(number, now_s() + lost_s(number, start_s, now_s() - start_s));
    });
  } else if (source == beside_.source()) {
    wake_beside();
  } else if (source == changes_.source()) {
    changes_.schedule();
  } else {
    network_->dispatch(source);
  }
}

void FlowSimulation::go_on(std::size_t number) {
  Rank& rank = ranks_[number];
  if (rank.program != nullptr) {
    const Step& done = *next_step_of(rank);
    if (network_->follows_ranks() && done.kind == Step::Kind::barrier) network_->leave_barrier(number);
    if (done.kind == Step::Kind::barrier) rank.waits.transfer_s += now_s() - rank.waits_since_s;
    if (done.kind == Step::Kind::lock_shared || done.kind == Step::Kind::lock_exclusive)
      rank.waits.lock_s += now_s() - rank.waits_since_s;
    finish_step(rank, done);
  }
  while (rank.program != nullptr || begin_iteration(number)) {
    while (const Step* step = next_step_of(rank)) {
      if (step->kind == Step::Kind::collective) {
        begin_collective(rank, *step);
        continue;
      }
      for (Observer* observer : observers_)
        observer->step_began(number, *step, now_s());
      const bool goes_on = execute(rank, number, *step);
      if (network_->follows_ranks()) tell_network(number, *step);
      if (!goes_on) return;
      finish_step(rank, *step);
    }
    rank.replay.finish_s = now_s();
    iterations_->finished(number, rank.replay);
    rank.program = nullptr;
  }
  if (rank.is_undecided) return;
  for (Observer* observer : observers_)
    observer->rank_finished(number, now_s());
  network_->serve(number);
  rank.replay.finish_s = now_s();
  rank.replay = iterations_->completed(number, std::move(rank.replay));
  rank.has_finished = true;
}

/// A rank answers others while it is in a call, after the call's own requests.
void FlowSimulation::tell_network(std::size_t rank, const Step& step) {
  if (step.kind == Step::Kind::end_region) return;
  const bool works = step.kind == Step::Kind::memory || (step.kind == Step::Kind::delay && !step.is_in_call);
  works ? network_->work(rank) : network_->serve(rank);
}

bool FlowSimulation::begin_iteration(std::size_t number) {
  Rank& rank = ranks_[number];
  if (job_.tasks != nullptr && !decide(rank)) return false;
  rank.program = iterations_->next(number);
  if (rank.program == nullptr) return false;
  meet_routes();
  rank.step = 0;
  rank.region = 0;
  rank.region_start_s = now_s();
  for (Observer* observer : observers_)
    observer->iteration_began(number);
  return true;
}

void FlowSimulation::end_region(std::size_t number, bool is_work) {
  Rank& rank = ranks_[number];
  std::vector<double>& phases_s = rank.replay.phases_s;
  const std::uint32_t place = rank.program->region_places[rank.region++];
  if (place >= phases_s.size()) phases_s.resize(place + 1, 0);
  const double region_s = now_s() - rank.region_start_s;
  phases_s[place] += region_s;
  if (is_work) {
    rank.work_before_call_s += region_s;
  } else if (rank.work_before_call_s > 0) {
    std::vector<double>& work_before_s = rank.replay.work_before_s;
    if (place >= work_before_s.size()) work_before_s.resize(place + 1, 0);
    work_before_s[place] += std::exchange(rank.work_before_call_s, 0);
  }
  rank.replay.waits.add(place, std::exchange(rank.waits, {}));
  rank.region_start_s = now_s();
  for (Observer* observer : observers_)
    observer->region_ended(number, place, now_s(), rank.replay);
}

bool FlowSimulation::execute(Strand& self, std::size_t number, const Step& step) {
  Requests& requests = self.requests;
  const auto own = static_cast<std::int32_t>(self.rank);
  switch (step.kind) {
    case Step::Kind::memory:
      return move_bytes(number, step);
    case Step::Kind::delay:
      return pass(number, step.is_work ? work_takes_s(self, number, step.seconds)
                                       : step.seconds + lost_s(number, now_s(), step.seconds));
    case Step::Kind::put:
    case Step::Kind::get:
      self.waits_since_s = now_s();
      network_->start(transfer_of(own, step), {.kind = Flow::Kind::blocked_on,
                                               .strand = number,
                                               .latency_s = step.latency_s,
                                               .alone_s = alone_now_s(self)});
      return false;
    case Step::Kind::open:
      requests.open(step.requests);
      return true;
    case Step::Kind::close:
      requests.close();
      return true;
    case Step::Kind::start_put:
    case Step::Kind::start_get:
      requests.start();
      network_->start(transfer_of(own, step), {.kind = Flow::Kind::started,
                                               .strand = number,
                                               .request = requests.newest(),
                                               .latency_s = step.latency_s,
                                               .alone_s = alone_now_s(self)});
      return true;
    case Step::Kind::start_fetch:
      requests.start();
      network_->start({own, step.peer, step.route, step.bytes, Sending::Way::fetch},
                      {Flow::Kind::fetches, number, requests.newest(), step.latency_s, step.route_back, 0,
                       step.bytes, 0, alone_now_s(self)});
      return true;
    case Step::Kind::expect:
      requests.expect({now_s() + step.seconds, alone_now_s(self) + step.seconds});
      return true;
    case Step::Kind::send:
      if (!step.is_buffered) requests.start();
      network_->start(
          {own, step.peer, route_of(compiler_.connections()[step.connection], step.is_striped), step.bytes},
          {step.is_buffered ? Flow::Kind::buffered : Flow::Kind::sent, number, requests.newest(), 0,
           step.connection, matching_.send(step.connection, partner(self, Partner::Role::sender)), 0,
           late_s(step.connection) + step.more_latency_s, alone_now_s(self)});
      return true;
    case Step::Kind::deliver:
      end_message(step.connection, matching_.send(step.connection, partner(self, Partner::Role::sender)),
                  Completion{now_s(), alone_now_s(self)}.later_by(step.latency_s));
      return true;
    case Step::Kind::copy:
      requests.start();
      start_copy(step.bytes, {Flow::Kind::copied, number, requests.newest(), step.latency_s, step.connection,
                              matching_.send(step.connection, partner(self, Partner::Role::sender)), 0, 0,
                              alone_now_s(self)});
      return true;
    case Step::Kind::offer:
    case Step::Kind::offer_copy:
      requests.start();
      offer(number, step);
      return true;
    case Step::Kind::receive:
      expect(number, step, step.latency_s);
      return true;
    case Step::Kind::collect:
      expect(number, step, 0);
      return true;
    case Step::Kind::collective:  // go_on()
      return true;
    case Step::Kind::start_collective:
      post_collective(ranks_[number], step);
      return true;
    case Step::Kind::wait:
      self.waits_since_s = now_s();
      return requests.wait_for_all() && finish_wait(number);
    case Step::Kind::wait_some:
      self.waits_since_s = now_s();
      return requests.wait_for(step.oldest, step.requests) && finish_wait(number);
    case Step::Kind::lock_shared:
      self.waits_since_s = now_s();
      return locks_.acquire(step.lock, number, WindowLock::Kind::shared);
    case Step::Kind::lock_exclusive:
      self.waits_since_s = now_s();
      return locks_.acquire(step.lock, number, WindowLock::Kind::exclusive);
    case Step::Kind::unlock:
      for (const std::size_t waiting : locks_.release(step.lock, number))
        wake(waiting, noticed_s(waiting, now_s()));
      return true;
    case Step::Kind::barrier:
      enter_barrier(number, step.seconds);
      return false;
    case Step::Kind::end_region:
      end_region(number, step.is_work);
      return true;
  }
  return true;
}

bool FlowSimulation::move_bytes(std::size_t number, const Step& step) {
  if (is_rank(number)) ranks_[number].memory_start_s = now_s();
  memory_.move(number, step.bytes, step.domain);
  return false;
}

double FlowSimulation::work_takes_s(const Strand& self, std::size_t number, double work_s) {
  const platform::SpeedProfile* const profile =
      changes_.speed_of(compiler_.placement().node(static_cast<int>(self.rank)));
  if (profile == nullptr) return work_s + lost_s(number, now_s(), work_s);
  if (job_.noise == nullptr || now_s() < ranks_[number].begins_s)
    return profile->end_s(now_s(), work_s) - now_s();
  return ranks_[number].noise->end_s(*profile, now_s(), work_s) - now_s();
}

void FlowSimulation::enter_barrier(std::size_t number, double seconds) {
  const auto leaving = barriers_.enter(number, now_s());
  for (const Barriers::Waiting& one : leaving) {
    Rank& rank = ranks_[one.rank];
    rank.waits.late_collective_s += now_s() - one.since_s;
    rank.waits_since_s = now_s();
    ranks_[number].replay.awaited_s += now_s() - one.since_s;
  }
  if (!job_.platform->costs.replies_wait || seconds <= 0) {
    for (const Barriers::Waiting& one : leaving)
      events_.schedule(one.rank, noticed_s(one.rank, now_s() + seconds));
    return;
  }
  const std::vector<double> done_s = times_of_rounds(
      leaving, [&](std::size_t from, std::size_t to) { return compiler_.hop_s(from, to); },
      [&](std::size_t rank, double at_s) { return noticed_s(rank, at_s); });
  for (std::size_t i = 0; i < leaving.size(); ++i)
    wake(leaving[i].rank, std::max(now_s(), done_s[i]));
}

/// Where tasks are given as results come. @returns whether the rank goes on
bool FlowSimulation::decide(Rank& rank) {
  const bool is_master = std::cmp_equal(rank.rank, job_.tasks->master());
  if (is_master && !iterations_->is_decided(rank.rank)) take_result(rank);
  rank.is_undecided = !iterations_->is_decided(rank.rank);
  if (!rank.is_undecided) return true;
  network_->serve(rank.rank);  // it is in a call, and waits
  return false;
}

void FlowSimulation::take_result(Rank& master) {
  const auto choice = tasks_.choose(now_s(), [&](const TaskAssignment::Result& result) {
    return matching_.is_expected(result.connection, result.message);
  });
  if (choice.look_again_s) events_.schedule(master.rank, *choice.look_again_s);
  if (!choice.worker) return;
  job_.tasks->take(static_cast<std::int32_t>(*choice.worker));
  if (ranks_[*choice.worker].is_undecided) events_.schedule(*choice.worker, now_s());
}

bool FlowSimulation::pass(std::size_t number, double seconds) {
  if (seconds < clock_resolution_s) return true;
  wake(number, now_s() + seconds);
  return false;
}

bool FlowSimulation::finish_wait(std::size_t number) {
  Strand& waiting = strand(number);
  const auto [done, partner] = waiting.requests.end_wait();
  const double complete_s = std::max(now_s(), done.at_s);
  const double goes_on_in_s = noticed_s(number, complete_s) - now_s();
  const double end_s = goes_on_in_s < clock_resolution_s ? now_s() : now_s() + goes_on_in_s;
  Waits waits;
  const double came_s = std::clamp(partner.came_s, waiting.waits_since_s, end_s);
  late_by_role(waits, partner.role) = came_s - waiting.waits_since_s;
  const double delayed_s = waiting.collective != nullptr ? waiting.delayed_s : 0;
  const double alone_s = std::max({waiting.waits_since_s - delayed_s, partner.came_s, done.alone_s});
  waiting.delayed_s = std::max(0., complete_s - alone_s);
  waits.contention_s = without_rounding(std::clamp(waiting.delayed_s - delayed_s, 0., end_s - came_s));
  waits.transfer_s = end_s - came_s - waits.contention_s;
  if (is_rank(number)) {
    ranks_[number].waits.add(waits);
    if (partner.rank >= 0) ranks_[static_cast<std::size_t>(partner.rank)].replay.awaited_s += waits.late_s();
  }
  waiting.entered.or_later(partner);
  return pass(number, goes_on_in_s);
}

void FlowSimulation::end_transfer(const Flow& flow) {
  Rank& rank = ranks_[flow.strand];
  const double end_s = noticed_s(rank.rank, now_s());
  const double waited_s = end_s - rank.waits_since_s;
  const double contention_s = without_rounding(std::clamp(now_s() - flow.alone_s, 0., waited_s));
  rank.waits.add({.transfer_s = waited_s - contention_s, .contention_s = contention_s});
  wake(rank.rank, end_s);
}

LoadedPlatform load_platform(const ReplayJob& job) {
  return LoadedPlatform(job.platform->file, placement_of(job).nodes(), job.hosts);
}

ReplayResult simulate_flows(LoadedPlatform& loaded, const ReplayJob& job, const ReplayOptions& options,
                            std::span<Observer* const> observers) {
  if (!job.platform->powers) return FlowSimulation(job, options, loaded, observers).run();
  EnergyMeter meter(placement_of(job), job.schedule->run.threads_per_rank, *job.platform, options.energy,
                    loaded);
  std::vector<Observer*> all(observers.begin(), observers.end());
  all.push_back(&meter);
  ReplayResult result = FlowSimulation(job, options, loaded, all).run();
  result.energy = meter.energy(result);
  return result;
}

}  // namespace finegrain::replay
