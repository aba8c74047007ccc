// SPDX-License-Identifier: MIT
#include "sim/replay/reference/actor_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/programs/compiler.hpp"
#include "sim/replay/reference/host_energy.hpp"
#include "sim/replay/repeats/iteration_count.hpp"
#include "sim/replay/shares_done.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

namespace sg4 = simgrid::s4u;

/// The messages of a connection: through a mailbox of SimGrid between nodes; on one node, by number.
struct ActorChannel {
  sg4::Mailbox* mailbox = nullptr;
  sg4::SemaphorePtr delivered = sg4::Semaphore::create(0);
  std::map<std::int64_t, double> there_s;  ///< when each is there that was delivered, until it is awaited
  std::int64_t sent = 0;
  std::int64_t expected = 0;
  std::int64_t acquired = 0;  ///< that the receiver knows to be delivered
};

/// How much of a simulation is done, for whoever asks this process.
struct StepsDone {
  std::atomic<double>* const told = share_of_this_process();
  std::size_t done = 0;          ///< by all ranks
  std::size_t of_iteration = 0;  ///< all ranks'
  std::size_t busiest_rank = 0;  ///< which has most of them
};

/// What all ranks of a simulation share.
struct Simulation {
  Simulation(const ReplayJob& replay_job, const ReplayOptions& options)
      : job(replay_job),
        placement(placement_of(job)),
        loaded(job.platform->file, placement.nodes(), job.hosts, platform::Clusters::by_simgrid),
        memories(
            loaded.make_memories(memory_bandwidths(placement, *job.platform), job.platform->memory_domains)),
        barrier(sg4::Barrier::create(static_cast<unsigned>(placement.ranks()))),
        iterations(*job.schedule, options),
        most_iterations(options.repeat_tolerance > 0
                            ? std::min(options.most_iterations, job.schedule->run.iterations)
                            : job.schedule->run.iterations),
        loads_cores(host_energy_knows(*job.platform)),
        waiting(options.energy.waiting),
        rank_bandwidths_bytes_per_s(
            rank_bandwidths(placement, job.schedule->run.threads_per_rank, *job.platform)) {
    result.ranks.resize(job.schedule->ranks.size());
    std::vector<int> nodes;
    for (int rank = 0; rank < placement.ranks(); ++rank)
      nodes.push_back(placement.node(rank));
    changing_cores = loaded.make_changing_cores(nodes);
  }

  /// The bandwidth of a message; none: as much as the links give.
  std::optional<double> rate_bytes_per_s(int from, int to);
  /// A rank begins a step. Says about how much of the simulation is done, if somebody asks.
  void tell_share_done();
  sg4::Host* host(int rank) const { return loaded.simgrid_host(placement.node(rank)); }

  const ReplayJob& job;
  problem::Placement placement;
  LoadedPlatform loaded;
  const std::vector<const LoadedPlatform::Route*>* routes = nullptr;  ///< the compiler's
  std::vector<sg4::Host*> memories;        ///< one for each of the domains of all nodes
  std::vector<sg4::Host*> changing_cores;  ///< LoadedPlatform::make_changing_cores(), shape [ranks]
  sg4::BarrierPtr barrier;
  std::vector<ActorChannel> channels;  ///< shape [connections]
  IterationCount iterations;
  std::int64_t most_iterations;  ///< that are simulated, unless ranks are ahead of one another
  StepsDone progress;
  bool loads_cores;  ///< for SimGrid's plugin to see
  Waiting waiting;
  std::vector<double> rank_bandwidths_bytes_per_s;  ///< shape [nodes]
  ReplayResult result;
  std::exception_ptr failure;
};

/// As TCP's window limits it. Asked of routes whose latencies the compiler has met, and set to 0 in SimGrid.
std::optional<double> Simulation::rate_bytes_per_s(int from, int to) {
  const std::optional<double>& window_bytes = job.platform->costs.tcp_window_bytes;
  if (!window_bytes) return std::nullopt;
  const double latency_s = loaded.route(placement.node(from), placement.node(to)).latency_s;
  if (latency_s == 0) return std::nullopt;
  return *window_bytes / (2 * latency_s);
}

void Simulation::tell_share_done() {
  constexpr std::uint32_t steps_between = 64;  // each may take SimGrid a millisecond
  if (progress.told == nullptr || ++progress.done % steps_between != 0) return;
  const auto iterations_of_all =
      static_cast<double>(std::min(iterations.to_simulate(progress.busiest_rank), most_iterations));
  *progress.told = std::min(1., static_cast<double>(progress.done) /
                                    (iterations_of_all * static_cast<double>(progress.of_iteration)));
}

sg4::CommPtr limited(const sg4::CommPtr& flow, std::optional<double> rate_bytes_per_s) {
  if (rate_bytes_per_s) flow->set_rate(*rate_bytes_per_s);
  return flow;
}

void pass(double seconds) {
  if (seconds >= clock_resolution_s) sg4::this_actor::sleep_for(seconds);
}

/// Flows are of whole bytes, and SimGrid ignores those of none.
std::uint64_t flow_bytes(double bytes) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(bytes)));
}

/// One rank: an actor that executes its program, step after step.
class RankActor {
 public:
  RankActor(Simulation& simulation, int rank, const CompiledBody& program)
      : simulation_(simulation),
        rank_(rank),
        program_(program),
        rank_bandwidth_bytes_per_s_(
            simulation
                .rank_bandwidths_bytes_per_s[static_cast<std::size_t>(simulation.placement.node(rank))]),
        cores_(simulation.host(rank),
               simulation.loads_cores ? simulation.job.schedule->run.threads_per_rank : 0) {
    so_far_.phases_s.resize(program.region_places.size(), 0);
  }
  /// The actor's life: all iterations.
  void operator()();

 private:
  /// A flow that the rank waits for, and a latency more.
  struct Flow {
    std::int64_t request;
    sg4::CommPtr flow;
    double latency_s;
    double posted_at_s;
  };
  struct Send {
    std::int64_t request;
    sg4::CommPtr flow;
  };
  /// A message on the same node, and its number on the connection.
  struct Collect {
    std::int64_t request;
    ActorChannel* channel;
    std::int64_t number;
  };
  /// What was started within the node.
  struct Expected {
    std::int64_t request;
    double complete_s;
  };

  void execute_iteration();
  void execute(const Step& step);
  /// Over a route: one, or one by each of its rails.
  std::vector<sg4::CommPtr> new_flows(const Step& step);
  void start_flows(const Step& step);
  /// For the requests from one to another, the latter excluded.
  void wait_for(std::int64_t from, std::int64_t to);

  Simulation& simulation_;
  int rank_;
  const CompiledBody& program_;
  double rank_bandwidth_bytes_per_s_;
  LoadedCores cores_;
  RankReplay so_far_;
  std::int64_t request_ = 0;  ///< the newest
  std::vector<Send> sends_;
  std::vector<Flow> flows_;  ///< receives, and puts and gets that were started
  std::vector<Collect> collects_;
  std::vector<Expected> expected_;
  RankActor* received_ = nullptr;
};

void RankActor::operator()() {
  const auto index = static_cast<std::size_t>(rank_);
  try {
    cores_.load();
    for (std::int64_t iteration = 0; iteration < simulation_.iterations.to_simulate(index); ++iteration) {
      simulation_.iterations.started(index, iteration);
      execute_iteration();
      so_far_.finish_s = sg4::Engine::get_clock();
      simulation_.iterations.finished(index, so_far_);
    }
    cores_.release();
    simulation_.result.ranks[index] = simulation_.iterations.completed(index, so_far_);
  } catch (const simgrid::Exception&) {
    // A link or host that the platform file switches off: no rank can go on.
    if (!simulation_.failure) simulation_.failure = std::current_exception();
    sg4::Actor::kill_all();
  }
}

void RankActor::execute_iteration() {
  std::size_t region = 0;
  double region_start_s = sg4::Engine::get_clock();
  for (const Step& step : program_.steps) {
    simulation_.tell_share_done();
    if (step.kind == Step::Kind::end_region) {
      const double now_s = sg4::Engine::get_clock();
      so_far_.phases_s[region++] += now_s - region_start_s;
      region_start_s = now_s;
    } else {
      const bool is_idle = simulation_.waiting == Waiting::idle && waits(step.kind);
      if (is_idle) cores_.release();
      execute(step);
      if (is_idle) cores_.load();
    }
  }
}

void RankActor::execute(const Step& step) {
  switch (step.kind) {
    case Step::Kind::memory:
      sg4::this_actor::exec_init(step.bytes)
          ->set_host(simulation_.memories[step.domain])
          ->set_bound(rank_bandwidth_bytes_per_s_)
          ->wait();
      break;
    case Step::Kind::delay:
      if (sg4::Host* const core = simulation_.changing_cores[static_cast<std::size_t>(rank_)];
          step.is_work && core != nullptr)
        sg4::this_actor::exec_init(step.seconds * changing_core_flops_per_s)->set_host(core)->wait();
      else
        pass(step.seconds);
      break;
    case Step::Kind::put:
    case Step::Kind::get:
      for (const sg4::CommPtr& flow : new_flows(step))
        flow->wait();
      break;
    case Step::Kind::start_put:
    case Step::Kind::start_get:
      start_flows(step);
      break;
    case Step::Kind::open:
      request_ += step.requests;
      break;
    case Step::Kind::close:
      --request_;
      break;
    case Step::Kind::expect:
      expected_.push_back({request_, sg4::Engine::get_clock() + step.seconds});
      break;
    case Step::Kind::send: {
      ++simulation_.result.flows;
      // SimGrid wants something to carry.
      const sg4::CommPtr flow =
          simulation_.channels[step.connection].mailbox->put_init(this, flow_bytes(step.bytes));
      limited(flow, simulation_.rate_bytes_per_s(rank_, step.peer))->start();
      sends_.push_back({request_, flow});
      break;
    }
    case Step::Kind::deliver: {
      ActorChannel& channel = simulation_.channels[step.connection];
      channel.there_s[channel.sent++] = sg4::Engine::get_clock() + step.latency_s;
      channel.delivered->release();
      break;
    }
    case Step::Kind::receive:
      flows_.push_back({request_, simulation_.channels[step.connection].mailbox->get_async(&received_),
                        step.latency_s, sg4::Engine::get_clock()});
      break;
    case Step::Kind::collect: {
      ActorChannel& channel = simulation_.channels[step.connection];
      collects_.push_back({request_, &channel, channel.expected++});
      break;
    }
    case Step::Kind::wait:
      wait_for(0, request_ + 1);
      break;
    case Step::Kind::wait_some: {
      const std::int64_t from = request_ + 1 - step.oldest;
      wait_for(from, from + step.requests);
      break;
    }
    case Step::Kind::barrier:
      simulation_.barrier->wait();
      pass(step.seconds);
      break;
    case Step::Kind::offer:  // refused before (replay.cpp), as are recorded programs
    case Step::Kind::offer_copy:
    case Step::Kind::copy:
    case Step::Kind::start_fetch:
    case Step::Kind::lock_shared:
    case Step::Kind::lock_exclusive:
    case Step::Kind::unlock:
    case Step::Kind::collective:
    case Step::Kind::start_collective:
    case Step::Kind::end_region:
      break;
  }
}

std::vector<sg4::CommPtr> RankActor::new_flows(const Step& step) {
  ++simulation_.result.flows;
  const LoadedPlatform& loaded = simulation_.loaded;
  std::vector<sg4::CommPtr> flows;
  const auto add = [&](const LoadedPlatform::Route& route, double part) {
    flows.push_back(sg4::Comm::sendto_init(loaded.simgrid_host(route.from, route.rail),
                                           loaded.simgrid_host(route.to, route.rail)));
    flows.back()->set_payload_size(flow_bytes(step.bytes * part));
  };
  const LoadedPlatform::Route& route = *(*simulation_.routes)[step.route];
  if (route.stripes.empty()) add(route, 1);
  for (const LoadedPlatform::Route::Stripe& stripe : route.stripes)
    add(*stripe.route, stripe.part);
  for (const sg4::CommPtr& flow : flows)
    flow->start();
  return flows;
}

void RankActor::start_flows(const Step& step) {
  for (const sg4::CommPtr& flow : new_flows(step))
    flows_.push_back({request_, flow, step.latency_s, sg4::Engine::get_clock()});
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

/// SimGrid's flows have their latency beside them (share_bandwidth_equally()), so it has to be the links' and
/// to stay.
void check_latencies(const LoadedPlatform& loaded, const Compiler& compiler,
                     const platform::Platform& platform) {
  if (loaded.latencies_change())
    throw InputError(platform.file.string(),
                     "a LATENCY profile changes a link during the run (with one SimGrid flow a message, "
                     "latencies stay)",
                     "Leave one of them out");
  for (const LoadedPlatform::Route* route : compiler.routes())
    if (!route->has_links_latency)
      throw InputError(platform.file.string(),
                       fmt::format("the latency from host {} to host {} is not its links', as with Vivaldi "
                                   "coordinates (one SimGrid flow a message needs that)",
                                   loaded.host_name(route->from), loaded.host_name(route->to)),
                       "Leave one flow a message out");
}

/// SimGrid 3.32 gives a rate to what goes through a mailbox only.
void check_rates(const std::vector<CompiledBody>& programs, const platform::Platform& platform) {
  const auto goes_directly = [](const Step& step) {
    using enum Step::Kind;
    return step.kind == put || step.kind == get || step.kind == start_put || step.kind == start_get;
  };
  for (const CompiledBody& program : programs)
    if (platform.costs.tcp_window_bytes && std::ranges::any_of(program.steps, goes_directly))
      throw InputError(
          platform.file.string(),
          "tcp_window is given (with one SimGrid flow a message, puts and gets cannot follow it)",
          "Leave one of them out");
}

/// What goes through a mailbox leaves its actor's own host, which is the first rail's.
void check_rails(const std::vector<CompiledBody>& programs, const LoadedPlatform& loaded) {
  if (loaded.rails().count == 1) return;
  for (const CompiledBody& program : programs)
    if (std::ranges::any_of(program.steps, [](const Step& step) { return step.kind == Step::Kind::send; }))
      throw InputError(loaded.rails().where,
                       "with one SimGrid flow a message, only puts and gets are simulated on rails, and the "
                       "ranks send messages",
                       "Leave one of them out");
}

/// An actor that changes links as a profile says, until the ranks have ended.
void follow(LoadedPlatform& loaded, const platform::LinkProfile& of_links) {
  const std::vector<std::size_t> links = loaded.links_of(of_links);
  const platform::Profile& profile = of_links.profile;
  sg4::Actor::create("profile", loaded.simgrid_host(0), [&loaded, &profile, links] {
    for (std::int64_t change = 0; std::isfinite(profile.at_s(change)); ++change) {
      pass(profile.at_s(change) - sg4::Engine::get_clock());
      for (const std::size_t link : links)
        loaded.set_bandwidth_in_simgrid(link, profile.value(change));
    }
  })->daemonize();
}

/// A mailbox with a receiver takes a message before it is asked for: the flow starts when the message is
/// sent.
void make_channels(Simulation& simulation, const std::vector<Connection>& connections,
                   const std::vector<sg4::ActorPtr>& actors) {
  simulation.channels.resize(connections.size());
  for (std::size_t c = 0; c < connections.size(); ++c) {
    simulation.channels[c].mailbox = sg4::Mailbox::by_name(fmt::format("connection {}", c));
    simulation.channels[c].mailbox->set_receiver(actors[connections[c].receiver]);
  }
}

}  // namespace

ReplayResult simulate_with_actors(const ReplayJob& job, const ReplayOptions& asked) {
  ReplayOptions options = asked;
  const bool tells_energy = host_energy_knows(*job.platform);
  if (tells_energy) {
    options.repeat_tolerance = 0;  // the plugin sees what is simulated
    start_host_energy(*job.platform);
  }
  Simulation simulation(job, options);
  std::vector<sg4::ActorPtr> actors;
  std::deque<RankActor> ranks;
  Compiler compiler(simulation.placement, job.platform->costs, options, simulation.loaded, job);
  const std::vector<CompiledBody> programs = compile(job, compiler);
  for (const CompiledBody& program : programs) {
    const int rank = static_cast<int>(ranks.size());
    simulation.progress.of_iteration += program.steps.size();
    if (program.steps.size() > programs[simulation.progress.busiest_rank].steps.size())
      simulation.progress.busiest_rank = static_cast<std::size_t>(rank);
    RankActor& actor = ranks.emplace_back(simulation, rank, program);
    actors.push_back(
        sg4::Actor::create(fmt::format("rank {}", rank), simulation.host(rank), [&actor] { actor(); }));
  }
  check_latencies(simulation.loaded, compiler, *job.platform);
  check_rates(programs, *job.platform);
  check_rails(programs, simulation.loaded);
  simulation.routes = &compiler.routes();
  for (const platform::LinkProfile& profile : simulation.loaded.profiles())
    follow(simulation.loaded, profile);
  make_channels(simulation, compiler.connections(), actors);
  simulation.loaded.share_bandwidth_equally();

  sg4::Engine::on_deadlock_cb([&simulation] {
    if (!simulation.failure) {
      simulation.failure = std::make_exception_ptr(
          InputError("schedule", "the ranks wait for one another forever (a message or a barrier is missing)",
                     "Check the trace it comes from"));
    }
  });
  simulation.loaded.run();
  if (simulation.failure) std::rethrow_exception(simulation.failure);

  for (const RankReplay& rank : simulation.result.ranks)
    simulation.result.total_s = std::max(simulation.result.total_s, rank.finish_s);
  simulation.iterations.report(simulation.result);
  if (tells_energy)
    simulation.result.energy = host_energy(simulation.loaded, job, options.energy, simulation.result.total_s);
  return std::move(simulation.result);
}

}  // namespace finegrain::replay
