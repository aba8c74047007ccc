// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/replay/engine/barriers.hpp"
#include "sim/replay/engine/copies.hpp"
#include "sim/replay/engine/event_queue.hpp"
#include "sim/replay/engine/iterations.hpp"
#include "sim/replay/engine/matching.hpp"
#include "sim/replay/engine/network.hpp"
#include "sim/replay/engine/node_memory.hpp"
#include "sim/replay/engine/observer.hpp"
#include "sim/replay/engine/platform_changes.hpp"
#include "sim/replay/engine/ranks.hpp"
#include "sim/replay/engine/strands_beside.hpp"
#include "sim/replay/engine/task_assignment.hpp"
#include "sim/replay/engine/window_lock.hpp"
#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/programs/compiler.hpp"

namespace finegrain::replay {

/// simulate_flows(), step by step: it takes the next event, lets ranks and collectives do their steps, and
/// gives each step to the part whose matter it is. Its functions are in four files: what ranks do one after
/// the other (flow_simulation.cpp), what they send one another (messages.cpp), the collectives that they are
/// in the middle of (collectives_under_way.cpp), and who waits when nothing happens any more
/// (standstill.cpp).
class FlowSimulation : private NetworkUser {
 public:
  FlowSimulation(const ReplayJob& job, const ReplayOptions& options, LoadedPlatform& loaded,
                 std::span<Observer* const> observers);
  ReplayResult run();

 private:
  /// Sources of events: ranks, to go on; memories that have served a rank; what goes on beside ranks; links
  /// that change; and those of the network.
  void dispatch(std::size_t source);
  double now_s() const { return events_.now_s(); }
  /// About how much of the simulation is done, from 0 to 1: the mean of a few ranks.
  double share_done() const;
  // Strands are numbered: first the ranks, then the collectives and copies that were posted.
  bool is_rank(std::size_t number) const { return number < ranks_.size(); }
  Strand& strand(std::size_t number) { return is_rank(number) ? ranks_[number] : beside_[number]; }
  /// The strand goes on at this time.
  void wake(std::size_t number, double at_s) {
    is_rank(number) ? ranks_.wake(number, at_s) : beside_.wake(number, at_s);
  }
  void wake_beside();
  /// Ranks wait for one another forever. One of them, which waits for a blocking collective on behalf of one
  /// of its threads, goes on, as its other threads would.
  /// @returns whether there is one
  bool pass_over_a_wait();
  /// The calls or phases in which ranks that have not finished wait forever.
  std::string where_ranks_wait() const;
  /// What the rank is in. @pre it has not finished
  std::string where_waits(const Rank& rank, const ReplayResult& names) const;
  /// Sends that their ranks wait for, because the receive comes later in the receiver's program. They would
  /// be complete if their bytes were buffered. For people: "rank 0 in MPI_Send (4000 B to rank 1, tag 1)".
  std::vector<std::string> sends_that_need_buffers() const;
  /// @throws InputError that says who waits for what
  [[noreturn]] void refuse_standstill() const;
  EarlyEnd early_end() const;

  void go_on(std::size_t number);
  bool begin_iteration(std::size_t number);
  bool decide(Rank& rank);
  void take_result(Rank& master);
  /// The connection's message is there then, or its envelope: what its receiver first knows of it.
  void announce(std::size_t connection, std::int64_t message, double at_s);
  /// Between nodes; within one, messages are there when they end.
  double latency_s(std::size_t connection) const {
    const Connection& of = compiler_.connections()[connection];
    return of.is_local ? 0 : compiler_.routes()[of.route]->latency_s;
  }
  /// Of one of the connection's messages.
  std::size_t route_of(const Connection& connection, bool is_striped) {
    return is_striped ? compiler_.route(connection.sender, connection.receiver, By::all_rails)
                      : connection.route;
  }
  /// How much longer the latency of a message that starts now is than the file says.
  double late_s(std::size_t connection) const {
    const Connection& of = compiler_.connections()[connection];
    return of.is_local ? 0 : changes_.late_s(*compiler_.routes()[of.route]);
  }
  /// The same of a reply that one rank sends another.
  double late_s(int from_rank, int to_rank) {
    return changes_.late_s(compiler_.placement().node(from_rank), compiler_.placement().node(to_rank));
  }
  /// How long the rank's work takes that begins now, and so long at its host's full speed without noise.
  double work_takes_s(const Strand& self, std::size_t number, double work_s);
  void tell_network(std::size_t rank, const Step& step);
  void finish_step(Rank& rank, const Step& step) {
    for (Observer* observer : observers_)
      observer->step_done(rank.rank, step, now_s());
    ++(rank.collective != nullptr ? rank.collective->step : rank.step);
  }
  /// @param is_work  it is work between calls
  void end_region(std::size_t number, bool is_work);
  /// The next step of the collective that the rank carries out, or of its program; none at the program's end.
  const Step* next_step_of(Rank& rank) {
    if (rank.collective != nullptr)
      if (const Step* step = next_step(rank)) return step;
    return rank.step < rank.program->steps.size() ? &rank.program->steps[rank.step] : nullptr;
  }
  const Step* next_step(Strand& strand);
  bool next_round(Strand& strand);
  std::unique_ptr<UnderWay> under_way(const CompiledBody::CollectiveStep& step, std::int32_t instance) const;
  void begin_collective(Rank& rank, const Step& step);
  void post_collective(Rank& rank, const Step& step);
  void go_on_posted(std::size_t number);
  void end_posted(std::size_t number);
  /// Makes room for routes and connections that were met for the first time.
  void meet_routes();
  // Each returns whether the rank goes on at once.
  /// @param self  the strand of that number
  bool execute(Strand& self, std::size_t number, const Step& step);
  bool move_bytes(std::size_t number, const Step& step);
  bool pass(std::size_t number, double seconds);
  /// Seconds of the noise that falls into work that began then. A collective that goes on beside its rank
  /// does so in the network.
  double lost_s(std::size_t number, double start_s, double work_s) {
    if (job_.noise == nullptr || !is_rank(number) || start_s < ranks_[number].begins_s) return 0;
    return ranks_[number].noise->lost_s(start_s, work_s);
  }
  bool finish_wait(std::size_t number);
  /// Whom somebody waits for who waits for what the strand does now: a part of a collective depends on
  /// others.
  /// @param role  outside of collectives
  Partner partner(const Strand& strand, Partner::Role role) const {
    return strand.collective ? strand.entered
                             : Partner{now_s(), static_cast<std::int32_t>(strand.rank), role};
  }
  /// When the strand would have come to what it does now if the bytes of its collective had been alone.
  double alone_now_s(const Strand& strand) const {
    return now_s() - (strand.collective ? strand.delayed_s : 0);
  }
  /// A put or get has passed for which its rank waits.
  void end_transfer(const Flow& flow);

  /// @param seconds  that the barrier takes once all are there
  void enter_barrier(std::size_t number, double seconds);

  // What the network tells and asks (NetworkUser).
  void flow_started(const Flow& flow, std::uint32_t number, const LoadedPlatform::Route& route, double bytes,
                    bool is_later) override;
  void flow_ended(const Flow& flow, std::uint32_t number) override;
  void ended(const Flow& flow) override;
  void permission_came(const Flow& flow) override { let_sender_go_on(flow, now_s() + flow.latency_s); }
  void request_left(const Flow& flow) override;
  double goes_on_s(std::size_t rank) const override { return ranks_[rank].goes_on_s; }
  double noticed_s(std::size_t number, double at_s) override;
  void look_at(std::size_t rank, double at_s) override { beside_.wake(rank, at_s); }
  std::size_t route_between(std::int32_t from, std::int32_t to) override;

  /// Over the memories of both ranks, beside what the strand's rank does, after its earlier copies.
  void start_copy(double bytes, const Flow& flow);
  void move_next_part(std::size_t number);
  void end_copy(std::size_t number);
  void expect(std::size_t number, const Step& step, double latency_s);
  void offer(std::size_t number, const Step& step);
  /// @param alone_s  alone_now_s() of the strand that came last
  void start_offered(std::size_t connection, const Offer& offer, double alone_s);
  void let_sender_go_on(const Flow& flow, double at_s);
  void end_offered(const Flow& flow, const Completion& done);
  void end_message(std::size_t connection, std::int64_t message, const Completion& ended);
  /// A part of the rank's request is complete then, which may be to come.
  void complete(std::size_t number, std::int64_t request, const Completion& done,
                const Partner& partner = {});

  const ReplayJob& job_;
  const LoadedPlatform& loaded_;
  Compiler compiler_;
  std::unique_ptr<Iterations> iterations_;
  EventQueue events_;
  Ranks ranks_;
  NodeMemory memory_;
  StrandsBeside beside_;
  Copies copies_;
  Matching matching_;
  Locks locks_;
  Barriers barriers_;
  TaskAssignment tasks_;
  PlatformChanges changes_;
  std::unique_ptr<Network> network_;
  std::span<Observer* const> observers_;
};

}  // namespace finegrain::replay
