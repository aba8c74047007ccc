// SPDX-License-Identifier: MIT
#include "sim/replay/engine/flow_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/replay/engine/channel.hpp"
#include "sim/replay/engine/event_queue.hpp"
#include "sim/replay/engine/fair_queue.hpp"
#include "sim/replay/engine/flow_network.hpp"
#include "sim/replay/engine/iterations.hpp"
#include "sim/replay/engine/requests.hpp"
#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/programs/compiler.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

/// Of whole bytes, one at least, as SimGrid's are.
double flow_bytes(double bytes) {
  return std::max(1.0, std::round(bytes));
}

/// A message on its way between nodes, and who is told that it has ended.
struct Flow {
  enum class Kind : std::uint8_t { blocked_on, started, sent };
  Kind kind;
  std::size_t rank;            ///< that posted it
  std::int64_t request = 0;    ///< of that rank, of started and sent
  double latency_s = 0;        ///< of started: until the rank knows; of sent: after its end
  std::size_t connection = 0;  ///< of sent
  std::int64_t message = 0;    ///< of sent: its number in the channel
};

/// A collective operation that a rank is in the middle of.
struct UnderWay {
  CompiledBody::CollectiveStep collective;
  std::vector<std::int64_t> sizes;  ///< of its call, whose body may be gone
  std::int32_t instance = 0;
  std::int64_t rounds = 0;
  std::int64_t next_round = 0;
  CompiledBody round;  ///< at hand
  std::uint32_t step = 0;
  std::int64_t first_request = 0;  ///< the newest of the rank when it began
};

/// How far a rank is.
struct Rank {
  RankReplay replay;
  const CompiledBody* program = nullptr;  ///< of its iteration; none between two
  std::uint32_t step = 0;
  std::uint32_t region = 0;
  double region_start_s = 0;
  Requests requests;
  std::unique_ptr<UnderWay> collective;  ///< that it carries out now
  /// Those that it has only posted, by their requests' numbers.
  std::map<std::int64_t, std::unique_ptr<UnderWay>> posted;
  std::map<std::int32_t, std::int32_t> instances;         ///< posted so far, by communicator
  std::int64_t wildcards = 0;                             ///< receives of any source so far
  std::vector<std::pair<std::int64_t, double>> arrivals;  ///< of their last messages, with their times
  bool has_finished = false;
};

void add_region_time(Rank& rank, double now_s) {
  std::vector<double>& phases_s = rank.replay.phases_s;
  const std::uint32_t place = rank.program->region_places[rank.region++];
  if (place >= phases_s.size()) phases_s.resize(place + 1, 0);
  phases_s[place] += now_s - rank.region_start_s;
  rank.region_start_s = now_s;
}

class FlowSimulation {
 public:
  FlowSimulation(const ReplayJob& job, const ReplayOptions& options, LoadedPlatform& loaded,
                 std::span<Observer* const> observers);
  ReplayResult run();

 private:
  // Sources of events: ranks, to go on; nodes, whose memory has served a rank; routes, that end a flow.
  std::size_t first_memory() const { return ranks_.size(); }
  std::size_t first_route() const { return ranks_.size() + memories_.size(); }
  std::size_t most_routes() const {
    return job_.programs == nullptr ? compiler_.routes().size() : memories_.size() * memories_.size();
  }
  void happen(std::size_t source);

  void go_on(std::size_t number);
  bool begin_iteration(std::size_t number);
  void finish_step(std::size_t number);
  const Step* next_step(std::size_t number);
  bool next_round(std::size_t number);
  void begin_collective(std::size_t number, std::unique_ptr<UnderWay> collective);
  std::unique_ptr<UnderWay> under_way(const CompiledBody::CollectiveStep& step, std::int32_t instance) const;
  bool begins_collective(std::size_t number, const Step& step);
  /// Makes room for routes and connections that were met for the first time.
  void meet_routes();
  // Each returns whether the rank goes on at once.
  bool execute(std::size_t number, const Step& step);
  bool move_bytes(std::size_t number, double bytes);
  bool pass(std::size_t number, double seconds);
  bool finish_wait(std::size_t number);

  void finish_memory(std::size_t node);
  void share_memory(std::size_t node);
  void meet(std::size_t number, double seconds);

  void start_flow(std::size_t route, double bytes, const Flow& flow);
  void finish_flows(std::size_t route);
  void end(const Flow& flow);
  void expect(std::size_t number, const Step& step, double latency_s);
  void start_offered(std::size_t connection, const Offer& offer);
  void end_message(std::size_t connection, std::int64_t message, double at_s);
  void note_arrival(std::size_t number, std::int64_t wildcard, double at_s);
  /// A part of the rank's request is complete at this time, which may be to come.
  void complete(std::size_t number, std::int64_t request, double at_s);

  const ReplayJob& job_;
  problem::Placement placement_;
  LoadedPlatform& loaded_;
  Compiler compiler_;
  std::unique_ptr<Iterations> iterations_;
  std::vector<Rank> ranks_;
  std::vector<FairQueue> memories_;  ///< shape [nodes]
  std::vector<Channel> channels_;    ///< of the connections
  EventQueue events_;
  FlowNetwork network_;
  std::size_t routes_ = 0;  ///< in the network
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> ended_flows_;  ///< places in flows_ to use again
  std::vector<std::size_t> at_barrier_;
  double now_s_ = 0;
  std::int64_t flow_count_ = 0;
  std::int64_t wildcard_count_ = 0;
  std::int64_t out_of_order_ = 0;  ///< of them
  std::span<Observer* const> observers_;
};

std::unique_ptr<Iterations> iterations_of(const ReplayJob& job, const ReplayOptions& options,
                                          Compiler& compiler) {
  if (job.programs != nullptr) return std::make_unique<StreamedIterations>(job, compiler);
  return std::make_unique<RepeatedIterations>(job, options, compiler);
}

FlowSimulation::FlowSimulation(const ReplayJob& job, const ReplayOptions& options, LoadedPlatform& loaded,
                               std::span<Observer* const> observers)
    : job_(job),
      placement_(placement_of(job)),
      loaded_(loaded),
      compiler_(placement_, job.platform->costs, options, loaded, job),
      iterations_(iterations_of(job, options, compiler_)),
      ranks_(static_cast<std::size_t>(placement_.ranks())),
      memories_(static_cast<std::size_t>(placement_.nodes())),
      events_(first_route(), first_route() + most_routes()),
      network_(events_, first_route(), options.share_tolerance),
      observers_(observers) {
  for (const double bandwidth_bytes_per_s : loaded_.link_bandwidths_bytes_per_s())
    network_.add_link(bandwidth_bytes_per_s);
  meet_routes();
}

void FlowSimulation::meet_routes() {
  for (; routes_ < compiler_.routes().size(); ++routes_) {
    const LoadedPlatform::Route& route = *compiler_.routes()[routes_];
    network_.add_route(route.shared_links, route.most_bytes_per_s);
    events_.add_source();
  }
  channels_.resize(compiler_.connections().size());
}

ReplayResult FlowSimulation::run() {
  for (std::size_t number = 0; number < ranks_.size(); ++number)
    events_.schedule(number, 0);
  while (const auto event = events_.next()) {
    now_s_ = std::max(now_s_, event->time_s);
    happen(event->source);
    // What is at one time but for rounding happens at one time: the order must not decide who gets what.
    if (events_.next_s() > now_s_ + clock_resolution_s) network_.share(now_s_);
  }

  ReplayResult result;
  for (Rank& rank : ranks_) {
    if (!rank.has_finished) {
      throw InputError("schedule",
                       "the ranks wait for one another forever (a message or a barrier is missing)",
                       "Check the trace it comes from");
    }
    result.total_s = std::max(result.total_s, rank.replay.finish_s);
    result.ranks.push_back(std::move(rank.replay));
  }
  result.flows = flow_count_;
  result.wildcards = wildcard_count_;
  result.wildcards_out_of_order = out_of_order_;
  iterations_->report(result);
  return result;
}

void FlowSimulation::happen(std::size_t source) {
  if (source < first_memory()) {
    go_on(source);
  } else if (source < first_route()) {
    finish_memory(source - first_memory());
  } else {
    finish_flows(source - first_route());
  }
}

void FlowSimulation::go_on(std::size_t number) {
  Rank& rank = ranks_[number];
  if (rank.program != nullptr) finish_step(number);
  while (rank.program != nullptr || begin_iteration(number)) {
    while (const Step* step = next_step(number)) {
      if (begins_collective(number, *step)) continue;
      if (!execute(number, *step)) return;
      finish_step(number);
    }
    iterations_->finished(number, now_s_, rank.replay.phases_s);
    rank.program = nullptr;
  }
  rank.replay.finish_s = now_s_;
  rank.replay = iterations_->completed(number, std::move(rank.replay));
  rank.has_finished = true;
}

/// Of the collective that the rank carries out, or of its program; none at the program's end.
const Step* FlowSimulation::next_step(std::size_t number) {
  Rank& rank = ranks_[number];
  while (rank.collective != nullptr) {
    UnderWay& collective = *rank.collective;
    if (collective.step < collective.round.steps.size()) return &collective.round.steps[collective.step];
    if (!next_round(number)) rank.collective.reset();
  }
  return rank.step < rank.program->steps.size() ? &rank.program->steps[rank.step] : nullptr;
}

bool FlowSimulation::next_round(std::size_t number) {
  Rank& rank = ranks_[number];
  UnderWay& collective = *rank.collective;
  if (collective.next_round == collective.rounds) {
    // Those of its rounds are complete.
    while (rank.requests.newest() > collective.first_request)
      rank.requests.close();
    return false;
  }
  collective.round = compiler_.compile_round(collective.collective, collective.next_round++,
                                             static_cast<int>(number), collective.instance);
  collective.step = 0;
  meet_routes();
  return true;
}

std::unique_ptr<UnderWay> FlowSimulation::under_way(const CompiledBody::CollectiveStep& step,
                                                    std::int32_t instance) const {
  auto collective = std::make_unique<UnderWay>();
  collective->collective = step;
  collective->sizes.assign(step.call.sizes.begin(), step.call.sizes.end());
  collective->collective.call.sizes = collective->sizes;
  collective->instance = instance;
  collective->rounds =
      step.call.ranks > 1 ? collectives::rounds(collective->collective.call, step.choice) : 0;
  return collective;
}

void FlowSimulation::begin_collective(std::size_t number, std::unique_ptr<UnderWay> collective) {
  Rank& rank = ranks_[number];
  collective->first_request = rank.requests.newest();
  rank.collective = std::move(collective);
}

/// @returns whether the rank has a collective to carry out before it goes on. One that does not block goes on
/// only while its rank waits for it, as in MPI libraries without a thread of their own.
bool FlowSimulation::begins_collective(std::size_t number, const Step& step) {
  Rank& rank = ranks_[number];
  if (step.kind == Step::Kind::collective) {
    begin_collective(number, under_way(rank.program->collectives[step.target], 0));
    ++rank.step;
    return true;
  }
  const bool is_some = step.kind == Step::Kind::wait_some;
  if (rank.posted.empty() || rank.collective != nullptr || (step.kind != Step::Kind::wait && !is_some))
    return false;
  const std::int64_t newest = rank.requests.newest();
  const std::int64_t from = is_some ? newest + 1 - step.target : 0;
  const std::int64_t to = is_some ? from + step.peer : newest + 1;
  const auto posted = rank.posted.lower_bound(from);
  if (posted == rank.posted.end() || posted->first >= to) return false;
  std::unique_ptr<UnderWay> collective = std::move(posted->second);
  rank.posted.erase(posted);
  begin_collective(number, std::move(collective));
  return true;
}

bool FlowSimulation::begin_iteration(std::size_t number) {
  Rank& rank = ranks_[number];
  rank.program = iterations_->next(number);
  if (rank.program == nullptr) return false;
  meet_routes();
  rank.step = 0;
  rank.region = 0;
  rank.region_start_s = now_s_;
  for (Observer* observer : observers_)
    observer->iteration_began(number);
  return true;
}

void FlowSimulation::finish_step(std::size_t number) {
  Rank& rank = ranks_[number];
  UnderWay* const collective = rank.collective.get();
  std::uint32_t& place = collective != nullptr ? collective->step : rank.step;
  const Step& step = (collective != nullptr ? collective->round : *rank.program).steps[place];
  for (Observer* observer : observers_)
    observer->step_done(number, step, now_s_);
  ++place;
}

bool FlowSimulation::execute(std::size_t number, const Step& step) {
  Rank& rank = ranks_[number];
  switch (step.kind) {
    case Step::Kind::memory:
      return move_bytes(number, step.amount);
    case Step::Kind::delay:
      return pass(number, step.amount);
    case Step::Kind::put:
    case Step::Kind::get:
      start_flow(step.target, step.amount, {Flow::Kind::blocked_on, number});
      return false;
    case Step::Kind::open:
      rank.requests.open(step.peer);
      return true;
    case Step::Kind::close:
      rank.requests.close();
      return true;
    case Step::Kind::start_put:
    case Step::Kind::start_get:
      rank.requests.start();
      start_flow(step.target, step.amount,
                 {Flow::Kind::started, number, rank.requests.newest(), step.latency_s});
      return true;
    case Step::Kind::expect:
      rank.requests.expect(now_s_ + step.amount);
      return true;
    case Step::Kind::send:
      rank.requests.start();
      start_flow(
          compiler_.connections()[step.target].route, step.amount,
          {Flow::Kind::sent, number, rank.requests.newest(), 0, step.target, channels_[step.target].send()});
      return true;
    case Step::Kind::deliver:
      end_message(step.target, channels_[step.target].send(), now_s_ + step.latency_s);
      return true;
    case Step::Kind::offer: {
      rank.requests.start();
      const Offer offer{number, rank.requests.newest(), step.amount, now_s_, step.latency_s, 0};
      if (const auto taken = channels_[step.target].offer(offer)) start_offered(step.target, *taken);
      return true;
    }
    case Step::Kind::receive:
      expect(number, step, step.amount);
      return true;
    case Step::Kind::collect:
      expect(number, step, 0);
      return true;
    case Step::Kind::collective:  // begins_collective()
      return true;
    case Step::Kind::start_collective: {
      const CompiledBody::CollectiveStep& collective = rank.program->collectives[step.target];
      rank.requests.open(1);
      constexpr std::int32_t most_at_once = 64;
      const std::int32_t instance = 1 + rank.instances[collective.communicator]++ % most_at_once;
      rank.posted.emplace(rank.requests.newest(), under_way(collective, instance));
      return true;
    }
    case Step::Kind::wait:
      return rank.requests.wait_for_all() && finish_wait(number);
    case Step::Kind::wait_some:
      return rank.requests.wait_for(step.target, step.peer) && finish_wait(number);
    case Step::Kind::barrier:
      meet(number, step.amount);
      return false;
    case Step::Kind::end_region:
      add_region_time(rank, now_s_);
      return true;
  }
  return true;
}

bool FlowSimulation::move_bytes(std::size_t number, double bytes) {
  const auto node = static_cast<std::size_t>(placement_.node(static_cast<int>(number)));
  memories_[node].add(bytes, static_cast<std::uint32_t>(number), now_s_);
  share_memory(node);
  return false;
}

bool FlowSimulation::pass(std::size_t number, double seconds) {
  if (seconds < clock_resolution_s) return true;
  events_.schedule(number, now_s_ + seconds);
  return false;
}

bool FlowSimulation::finish_wait(std::size_t number) {
  return pass(number, ranks_[number].requests.end_wait() - now_s_);
}

void FlowSimulation::finish_memory(std::size_t node) {
  FairQueue& memory = memories_[node];
  while (memory.next_end_s() <= now_s_ + clock_resolution_s)
    events_.schedule(memory.finish(now_s_), now_s_);
  share_memory(node);
}

void FlowSimulation::share_memory(std::size_t node) {
  FairQueue& memory = memories_[node];
  if (memory.empty()) return;
  const platform::PlatformCosts& costs = job_.platform->costs;
  const double of_rank = costs.memory_bandwidth_per_core_bytes_per_s * job_.schedule->run.threads_per_rank;
  const double share = costs.memory_bandwidth_bytes_per_s / static_cast<double>(memory.jobs());
  memory.set_rate(std::min(of_rank, share), now_s_);
  events_.schedule(first_memory() + node, memory.next_end_s());
}

void FlowSimulation::meet(std::size_t number, double seconds) {
  at_barrier_.push_back(number);
  if (at_barrier_.size() < ranks_.size()) return;
  for (const std::size_t met : at_barrier_)
    events_.schedule(met, now_s_ + seconds);
  at_barrier_.clear();
}

void FlowSimulation::start_flow(std::size_t route, double bytes, const Flow& flow) {
  ++flow_count_;
  if (ended_flows_.empty()) {
    ended_flows_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t place = ended_flows_.back();
  ended_flows_.pop_back();
  flows_[place] = flow;
  for (Observer* observer : observers_)
    observer->flow_started(flow.rank, place, *compiler_.routes()[route], bytes);
  network_.start(route, flow_bytes(bytes), place, now_s_);
}

void FlowSimulation::finish_flows(std::size_t route) {
  while (network_.next_end_s(route) <= now_s_ + clock_resolution_s) {
    const std::uint32_t place = network_.finish(route, now_s_);
    ended_flows_.push_back(place);
    for (Observer* observer : observers_)
      observer->flow_ended(flows_[place].rank, place, now_s_);
    end(flows_[place]);
  }
  // The event may have come before any flow's end: shares have become smaller.
  events_.schedule(first_route() + route, network_.next_end_s(route));
}

void FlowSimulation::end(const Flow& flow) {
  switch (flow.kind) {
    case Flow::Kind::blocked_on:
      events_.schedule(flow.rank, now_s_);
      break;
    case Flow::Kind::started:
      complete(flow.rank, flow.request, now_s_ + flow.latency_s);
      break;
    case Flow::Kind::sent:
      complete(flow.rank, flow.request, now_s_ + flow.latency_s);
      end_message(flow.connection, flow.message, now_s_ + flow.latency_s);
      break;
  }
}

void FlowSimulation::expect(std::size_t number, const Step& step, double latency_s) {
  Rank& rank = ranks_[number];
  Channel& channel = channels_[step.target];
  const std::int64_t wildcard = step.any_source ? ++rank.wildcards : 0;
  if (const auto there_s = channel.expect({latency_s, rank.requests.newest(), wildcard})) {
    rank.requests.expect(*there_s);
    note_arrival(number, wildcard, *there_s);
    return;
  }
  rank.requests.start();
  if (const auto offer = channel.take_offer()) start_offered(step.target, *offer);
}

/// A rendezvous: the offer reaches the receiver, whose answer has to come back before the bytes go. Links are
/// taken to be busy from now on, a latency or two early, and all ends are as much later.
void FlowSimulation::start_offered(std::size_t connection, const Offer& offer) {
  const Connection& of = compiler_.connections()[connection];
  const double on_its_way_s = std::max(0., offer.latency_s - (now_s_ - offer.offered_s));
  const double handshake_s = on_its_way_s + offer.latency_s;
  if (of.is_local) {
    complete(offer.sender, offer.request, now_s_ + handshake_s);
    end_message(connection, offer.message, now_s_ + handshake_s);
    return;
  }
  start_flow(of.route, offer.bytes,
             {Flow::Kind::sent, offer.sender, offer.request, handshake_s, connection, offer.message});
}

void FlowSimulation::end_message(std::size_t connection, std::int64_t message, double at_s) {
  const auto expected = channels_[connection].end(message, at_s);
  if (!expected) return;
  const std::size_t receiver = compiler_.connections()[connection].receiver;
  complete(receiver, expected->request, at_s + expected->latency_s);
  note_arrival(receiver, expected->wildcard, at_s + expected->latency_s);
}

/// Receives of any source take the messages that they took when they were recorded. Where two in a row come
/// in the other order, the program might have gone on differently.
void FlowSimulation::note_arrival(std::size_t number, std::int64_t wildcard, double at_s) {
  if (wildcard == 0) return;
  ++wildcard_count_;
  Rank& rank = ranks_[number];
  const auto is_in_order = [&](std::int64_t earlier, double earlier_s, std::int64_t later, double later_s) {
    return later != earlier + 1 || earlier_s <= later_s;
  };
  for (const auto& [other, other_s] : rank.arrivals) {
    if (!is_in_order(other, other_s, wildcard, at_s) || !is_in_order(wildcard, at_s, other, other_s))
      ++out_of_order_;
  }
  // Its neighbours are among those that came last, or it is not worth the memory.
  constexpr std::size_t most_arrivals = 16;
  if (rank.arrivals.size() == most_arrivals) rank.arrivals.erase(rank.arrivals.begin());
  rank.arrivals.emplace_back(wildcard, at_s);
}

void FlowSimulation::complete(std::size_t number, std::int64_t request, double at_s) {
  if (ranks_[number].requests.finish(request, at_s) && finish_wait(number)) events_.schedule(number, now_s_);
}

}  // namespace

LoadedPlatform load_platform(const ReplayJob& job) {
  return {job.platform->file, placement_of(job).nodes(), job.platform->costs.memory_bandwidth_bytes_per_s};
}

ReplayResult simulate_flows(LoadedPlatform& loaded, const ReplayJob& job, const ReplayOptions& options,
                            std::span<Observer* const> observers) {
  return FlowSimulation(job, options, loaded, observers).run();
}

}  // namespace finegrain::replay
