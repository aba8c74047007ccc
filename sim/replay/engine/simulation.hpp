// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/replay/engine/channel.hpp"
#include "sim/replay/engine/event_queue.hpp"
#include "sim/replay/engine/fair_queue.hpp"
#include "sim/replay/engine/iterations.hpp"
#include "sim/replay/engine/network.hpp"
#include "sim/replay/engine/observer.hpp"
#include "sim/replay/engine/rank_state.hpp"
#include "sim/replay/engine/window_lock.hpp"
#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/programs/compiler.hpp"
#include "sim/replay/shares_done.hpp"

namespace finegrain::replay {

/// simulate_flows(), step by step. Its functions are in seven files: what ranks do one after the other
/// (flow_simulation.cpp), what they send one another (messages.cpp; how long that is on its way is the
/// network's matter, network.hpp), barriers (barriers.cpp), the collectives that they are in the middle of
/// (collectives_under_way.cpp), which worker gets a task (tasks.cpp), links and hosts that change
/// (profiles.cpp), and who waits when nothing happens any more (standstill.cpp).
class FlowSimulation : private NetworkUser {
 public:
  FlowSimulation(const ReplayJob& job, const ReplayOptions& options, LoadedPlatform& loaded,
                 std::span<Observer* const> observers);
  ReplayResult run();

 private:
  // Sources of events: ranks, to go on; memories that have served a rank; all collectives and copies that
  // were posted, of which one goes on; profiles, that change links; and those of the network.
  std::size_t first_memory() const { return ranks_.size(); }
  std::size_t posted_source() const { return ranks_.size() + memories_.size(); }
  std::size_t changes_source() const { return posted_source() + 1; }
  std::size_t sources() const { return posted_source() + 2; }
  void dispatch(std::size_t source);
  double now_s() const { return events_.now_s(); }
  /// About how much of the simulation is done, from 0 to 1: the mean of a few ranks.
  double share_done() const;
  void tell_share_done() {
    constexpr std::uint32_t events_between = 4096;
    if (share_done_ != nullptr && ++events_since_told_ == events_between) {
      events_since_told_ = 0;
      *share_done_ = share_done();
    }
  }
  // Strands are numbered: first the ranks, then the collectives and copies that were posted.
  bool is_rank(std::size_t number) const { return number < ranks_.size(); }
  Strand& strand(std::size_t number) {
    return is_rank(number) ? ranks_[number] : posted_[number - ranks_.size()];
  }
  /// The strand goes on at this time.
  void wake(std::size_t number, double at_s) {
    if (is_rank(number)) ranks_[number].goes_on_s = at_s;
    if (is_rank(number) && at_s == now_s())
      ready_.push_back(number);  // the queue of events would give it back at once
    else if (is_rank(number))
      events_.schedule(number, at_s);
    else
      wake_posted_at(number, at_s);
  }
  void wake_posted_at(std::size_t number, double at_s);
  void wake_posted();
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
  UnreceivedMessages unreceived() const;
  EarlyEnd early_end() const;

  void go_on(std::size_t number);
  bool begin_iteration(std::size_t number);
  /// Of tasks that are given as results come (tasks.cpp). @returns whether the rank goes on
  bool decide(Rank& rank);
  void take_result(Rank& master);
  /// The connection's message is there then, or its envelope: what its receiver first knows of it.
  void announce(std::size_t connection, std::int64_t message, double at_s);
  /// Between nodes; within one, messages are there when they end.
  double latency_s(std::size_t connection) const {
    const Connection& of = compiler_.connections()[connection];
    return of.is_local ? 0 : compiler_.routes()[of.route]->latency_s;
  }
  /// How much longer the latency of a message that starts now is than the file says.
  double late_s(std::size_t connection) const {
    const Connection& of = compiler_.connections()[connection];
    return profiles_.empty() || of.is_local ? 0 : compiler_.routes()[of.route]->late_s;
  }
  /// The same of a reply that one rank sends another.
  double loaded_late_s(int from_rank, int to_rank) const {
    if (profiles_.empty()) return 0;
    return loaded_.route(placement_.node(from_rank), placement_.node(to_rank)).late_s;
  }
  /// The most that one flow on a route gets: its narrowest private link's, or that of TCP's window.
  double most_bytes_per_s(const LoadedPlatform::Route& route) const;
  // Profiles of links and hosts (profiles.cpp).
  void follow_profiles();
  void schedule_changes();
  void change_links();
  void change(const platform::LinkProfile& profile, const std::vector<std::size_t>& links, double value);
  /// How long the rank's work takes that begins now, and so long at its host's full speed without noise.
  double work_takes_s(std::size_t number, double work_s);
  void tell_network(std::size_t rank, const Step& step);
  void finish_step(Rank& rank, const Step& step) {
    for (Observer* observer : observers_)
      observer->step_done(rank.rank, step, now_s());
    ++(rank.collective != nullptr ? rank.collective->step : rank.step);
  }
  void end_region(std::size_t number);
  /// Of the collective that the rank carries out, or of its program; none at the program's end.
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
  std::size_t new_strand(std::size_t rank);
  void end_posted(std::size_t number);
  /// Makes room for routes and connections that were met for the first time.
  void meet_routes();
  // Each returns whether the rank goes on at once.
  /// @param self  the strand of that number
  bool execute(Strand& self, std::size_t number, const Step& step);
  bool move_bytes(std::size_t number, const Step& step);
  bool pass(std::size_t number, double seconds);
  /// Of the noise that falls into work that began then. A collective that goes on beside its rank does so in
  /// the network.
  double lost_s(std::size_t number, double start_s, double work_s) {
    if (job_.noise == nullptr || !is_rank(number) || start_s < ranks_[number].begins_s) return 0;
    return ranks_[number].noise->lost_s(start_s, work_s);
  }
  bool finish_wait(std::size_t number);

  void finish_memory(std::size_t domain);
  void share_memory(std::size_t domain);
  /// A rank that is at a barrier.
  struct Waiting {
    std::size_t rank;
    double since_s;
  };
  /// @param seconds  that the barrier takes once all are there
  void meet(std::size_t number, double seconds);
  void leave_in_rounds(std::vector<Waiting>& waiting);

  // What the network tells and asks (NetworkUser).
  void flow_started(const Flow& flow, std::uint32_t number, const LoadedPlatform::Route& route, double bytes,
                    bool is_later) override;
  void flow_ended(const Flow& flow, std::uint32_t number) override;
  void ended(const Flow& flow) override;
  void permission_came(const Flow& flow) override { let_sender_go_on(flow, now_s() + flow.latency_s); }
  void request_left(const Flow& flow) override;
  double goes_on_s(std::size_t rank) const override { return ranks_[rank].goes_on_s; }
  double noticed_s(std::size_t number, double at_s) override;
  void look_at(std::size_t rank, double at_s) override { wake_posted_at(rank, at_s); }
  std::size_t route_between(std::int32_t from, std::int32_t to) override;

  /// Over the memories of both ranks, beside what the strand's rank does, after its earlier copies.
  void start_copy(double bytes, const Flow& flow);
  void end_copy(std::size_t number);
  void expect(std::size_t number, const Step& step, double latency_s);
  void offer(std::size_t number, const Step& step);
  void start_offered(std::size_t connection, const Offer& offer);
  void let_sender_go_on(const Flow& flow, double at_s);
  void end_offered(const Flow& flow, double at_s);
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
  std::deque<Strand> posted_;               ///< collectives and copies
  std::vector<std::size_t> ended_strands_;  ///< of posted_, to use again
  /// Bytes over a memory domain.
  struct Copy {
    Step memory;
    std::optional<Flow> completes;  ///< what is done when they have been moved; none: another copy follows
  };
  /// By ranks, which do one after the other. The first is under way.
  std::map<std::size_t, std::deque<Copy>> copies_;
  using Wake = std::pair<double, std::size_t>;
  /// Collectives and copies that go on, and ranks that look for what others have asked.
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> posted_wakes_;
  std::vector<FairQueue> memories_;                    ///< of the domains of all nodes
  std::vector<double> memory_bandwidths_bytes_per_s_;  ///< of the nodes
  std::vector<double> rank_bandwidths_bytes_per_s_;    ///< rank_bandwidths()
  std::vector<Channel> channels_;                      ///< of the connections
  std::vector<WindowLock> locks_;                      ///< of the compiler's
  EventQueue events_;
  std::vector<std::size_t> ready_;  ///< ranks that go on now
  std::unique_ptr<Network> network_;
  /// A profile of the platform, with the links that follow it.
  struct FollowedProfile {
    const platform::LinkProfile* profile;
    std::vector<std::size_t> links;
    std::int64_t next = 0;  ///< change
  };
  std::vector<FollowedProfile> profiles_;
  std::vector<const platform::SpeedProfile*> speed_profiles_;       ///< LoadedPlatform::speed_profiles()
  double next_change_s_ = std::numeric_limits<double>::infinity();  ///< of all profiles
  /// A result that its master may take.
  struct Announced {
    double at_s;
    std::size_t connection;
    std::int64_t message;
    bool operator>(const Announced& other) const {
      return std::tie(at_s, connection, message) > std::tie(other.at_s, other.connection, other.message);
    }
  };
  std::priority_queue<Announced, std::vector<Announced>, std::greater<>> announced_;
  std::vector<std::vector<Waiting>> at_barrier_;  ///< of each group of ranks
  std::vector<std::size_t> group_sizes_;
  std::int64_t wildcard_count_ = 0;
  std::int64_t out_of_order_ = 0;  ///< of them
  std::int64_t passed_over_ = 0;   ///< waits
  std::span<Observer* const> observers_;
  std::atomic<double>* const share_done_ = share_of_this_process();
  std::uint32_t events_since_told_ = 0;
};

}  // namespace finegrain::replay
