// SPDX-License-Identifier: MIT
#include "sim/replay/engine/flow_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/replay/engine/folded_iterations.hpp"
#include "sim/replay/engine/simulation.hpp"
#include "sim/replay/observers/energy_meter.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

std::unique_ptr<Iterations> iterations_of(const ReplayJob& job, const ReplayOptions& options,
                                          Compiler& compiler) {
  if (job.folded != nullptr) return std::make_unique<FoldedIterations>(*job.folded, options, compiler);
  if (job.programs != nullptr) return std::make_unique<StreamedIterations>(job, compiler);
  return std::make_unique<RepeatedIterations>(job, options, compiler);
}

}  // namespace

FlowSimulation::FlowSimulation(const ReplayJob& job, const ReplayOptions& options, LoadedPlatform& loaded,
                               std::span<Observer* const> observers)
    : job_(job),
      placement_(placement_of(job)),
      loaded_(loaded),
      compiler_(placement_, job.platform->costs, options, loaded, job),
      iterations_(iterations_of(job, options, compiler_)),
      ranks_(static_cast<std::size_t>(placement_.ranks())),
      memories_(static_cast<std::size_t>(placement_.nodes() * job.platform->memory_domains)),
      memory_bandwidths_bytes_per_s_(memory_bandwidths(placement_, *job.platform, job.hosts)),
      rank_bandwidths_bytes_per_s_(
          rank_bandwidths(placement_, job.schedule->run.threads_per_rank, *job.platform, job.hosts)),
      events_(sources()),
      observers_(observers) {
  for (std::size_t number = 0; number < ranks_.size(); ++number)
    ranks_[number].rank = number;
  if (job.noise != nullptr)
    for (std::size_t number = 0; number < ranks_.size(); ++number)
      ranks_[number].noise.emplace(*job.noise, job.noise_seed, job.first_core + number);
  group_sizes_ = {ranks_.size()};
  if (!job.groups.empty()) {
    group_sizes_.assign(static_cast<std::size_t>(std::ranges::max(job.groups)) + 1, 0);
    for (const int group : job.groups)
      ++group_sizes_[static_cast<std::size_t>(group)];
    for (std::size_t number = 0; number < ranks_.size() && !job.starts_of_groups_s.empty(); ++number)
      ranks_[number].begins_s = job.starts_of_groups_s[static_cast<std::size_t>(job.groups[number])];
  }
  at_barrier_.resize(group_sizes_.size());
  follow_profiles();
  network_ = make_network({events_, *this, *job.platform, loaded_.link_bandwidths_bytes_per_s(),
                           ranks_.size(), options.share_tolerance});
  meet_routes();
}

void FlowSimulation::meet_routes() {
  while (network_->routes() < compiler_.routes().size()) {
    const LoadedPlatform::Route& route = *compiler_.routes()[network_->routes()];
    network_->add_route(route, most_bytes_per_s(route));
  }
  channels_.resize(compiler_.connections().size());
  locks_.resize(compiler_.locks());
}

ReplayResult FlowSimulation::run() {
  for (std::size_t number = 0; number < ranks_.size(); ++number)
    events_.schedule(number, 0);
  do {
    schedule_changes();
    while (const auto event = events_.next()) {
      tell_share_done();
      if (next_change_s_ <= now_s() + clock_resolution_s) change_links();  // before all else at that time
      dispatch(event->source);
      for (std::size_t place = 0; place < ready_.size(); ++place)  // it grows
        go_on(ready_[place]);
      ready_.clear();
      // Events whose times differ only by rounding happen at the same time: their order must not affect
      // shares.
      if (events_.next_s() > now_s() + clock_resolution_s) network_->settle();
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
  result.wildcards = wildcard_count_;
  result.wildcards_out_of_order = out_of_order_;
  result.waits_passed_over = passed_over_;
  result.unreceived = unreceived();
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
  if (source < first_memory()) {
    go_on(source);
  } else if (source < posted_source()) {
    finish_memory(source - first_memory());
  } else if (source == posted_source()) {
    wake_posted();
  } else if (source == changes_source()) {
    schedule_changes();
  } else {
    network_->dispatch(source);
  }
}

void FlowSimulation::go_on(std::size_t number) {
  Rank& rank = ranks_[number];
  if (rank.program != nullptr) {
    const Step& done = *next_step_of(rank);
    if (network_->follows_ranks() && done.kind == Step::Kind::barrier) network_->leave_barrier(number);
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

void FlowSimulation::end_region(std::size_t number) {
  Rank& rank = ranks_[number];
  std::vector<double>& phases_s = rank.replay.phases_s;
  const std::uint32_t place = rank.program->region_places[rank.region++];
  if (place >= phases_s.size()) phases_s.resize(place + 1, 0);
  phases_s[place] += now_s() - rank.region_start_s;
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
      return pass(number, step.is_work && !speed_profiles_.empty()
                              ? work_takes_s(number, step.amount)
                              : step.amount + lost_s(number, now_s(), step.amount));
    case Step::Kind::put:
      network_->start({own, step.peer, step.target, step.amount, Sending::Way::put},
                      {Flow::Kind::blocked_on, number, 0, step.latency_s});
      return false;
    case Step::Kind::get:
      network_->start({step.peer, own, step.target, step.amount, Sending::Way::get},
                      {Flow::Kind::blocked_on, number, 0, step.latency_s});
      return false;
    case Step::Kind::open:
      requests.open(step.peer);
      return true;
    case Step::Kind::close:
      requests.close();
      return true;
    case Step::Kind::start_put:
      requests.start();
      network_->start({own, step.peer, step.target, step.amount,
                       step.are_several ? Sending::Way::puts : Sending::Way::put},
                      {Flow::Kind::started, number, requests.newest(), step.latency_s});
      return true;
    case Step::Kind::start_get:
      requests.start();
      network_->start({step.peer, own, step.target, step.amount,
                       step.are_several ? Sending::Way::gets : Sending::Way::get},
                      {Flow::Kind::started, number, requests.newest(), step.latency_s});
      return true;
    case Step::Kind::start_fetch:
      requests.start();
      network_->start(
          {own, step.peer, step.target, step.amount, Sending::Way::fetch},
          {Flow::Kind::fetches, number, requests.newest(), step.latency_s, step.back, 0, step.amount});
      return true;
    case Step::Kind::expect:
      requests.expect(now_s() + step.amount);
      return true;
    case Step::Kind::send:
      if (!step.is_buffered) requests.start();
      network_->start({own, step.peer, compiler_.connections()[step.target].route, step.amount},
                      {step.is_buffered ? Flow::Kind::buffered : Flow::Kind::sent, number, requests.newest(),
                       0, step.target, channels_[step.target].send(), 0, late_s(step.target)});
      return true;
    case Step::Kind::deliver:
      end_message(step.target, channels_[step.target].send(), now_s() + step.latency_s);
      return true;
    case Step::Kind::copy:
      requests.start();
      start_copy(step.amount, {Flow::Kind::copied, number, requests.newest(), step.latency_s, step.target,
                               channels_[step.target].send()});
      return true;
    case Step::Kind::offer:
    case Step::Kind::offer_copy:
      requests.start();
      offer(number, step);
      return true;
    case Step::Kind::receive:
      expect(number, step, step.amount);
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
      return requests.wait_for_all() && finish_wait(number);
    case Step::Kind::wait_some:
      return requests.wait_for(step.target, step.peer) && finish_wait(number);
    case Step::Kind::lock_shared:
      return locks_[step.target].acquire(number, WindowLock::Kind::shared);
    case Step::Kind::lock_exclusive:
      return locks_[step.target].acquire(number, WindowLock::Kind::exclusive);
    case Step::Kind::unlock:
      for (const std::size_t waiting : locks_[step.target].release(number))
        wake(waiting, noticed_s(waiting, now_s()));
      return true;
    case Step::Kind::barrier:
      meet(number, step.amount);
      return false;
    case Step::Kind::end_region:
      end_region(number);
      return true;
  }
  return true;
}

bool FlowSimulation::move_bytes(std::size_t number, const Step& step) {
  memories_[step.target].add(step.amount, static_cast<std::uint32_t>(number), now_s());
  if (is_rank(number)) ranks_[number].memory_start_s = now_s();
  share_memory(step.target);
  return false;
}

bool FlowSimulation::pass(std::size_t number, double seconds) {
  if (seconds < clock_resolution_s) return true;
  wake(number, now_s() + seconds);
  return false;
}

bool FlowSimulation::finish_wait(std::size_t number) {
  const double complete_s = std::max(now_s(), strand(number).requests.end_wait());
  return pass(number, noticed_s(number, complete_s) - now_s());
}

void FlowSimulation::finish_memory(std::size_t domain) {
  FairQueue& memory = memories_[domain];
  while (memory.next_end_s() <= now_s() + clock_resolution_s) {
    const std::size_t number = memory.finish(now_s());
    const double start_s = is_rank(number) ? ranks_[number].memory_start_s : now_s();
    wake(number, now_s() + lost_s(number, start_s, now_s() - start_s));
  }
  share_memory(domain);
}

void FlowSimulation::share_memory(std::size_t domain) {
  FairQueue& memory = memories_[domain];
  if (memory.empty()) return;
  const int domains = job_.platform->memory_domains;
  const std::size_t node = domain / static_cast<std::size_t>(domains);
  const double of_rank = rank_bandwidths_bytes_per_s_[node];
  const double share = memory_bandwidths_bytes_per_s_[node] / domains / static_cast<double>(memory.jobs());
  memory.set_rate(std::min(of_rank, share), now_s());
  events_.schedule(first_memory() + domain, memory.next_end_s());
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
