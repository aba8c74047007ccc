// SPDX-License-Identifier: MIT
#include "traces/formats/goal_execution.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "traces/formats/goal_graph.hpp"
#include "traces/formats/matching.hpp"

namespace finegrain::formats {
namespace {

using First = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

/// What waits for one of a rank's cpus.
struct Cpu {
  bool calculates = false;
  First messages;
  First calculations;
};

struct Sent {
  std::uint32_t rank;
  std::uint32_t operation;
  std::int64_t time_ns;
};

struct RankOnCpus {
  explicit RankOnCpus(const GoalRank& goal)
      : graph(goal), starts{std::vector<std::int64_t>(goal.operations.size()), {}} {}

  GoalGraph graph;
  std::map<std::int32_t, Cpu> cpus;
  Matching<Sent, std::uint32_t> matching;  ///< to operations that receive
  GoalStarts starts;
};

class GoalExecution {
 public:
  GoalExecution(const std::vector<GoalRank>& schedule, const GoalNetwork& network)
      : schedule_(schedule), network_(network) {
    for (const GoalRank& goal : schedule)
      ranks_.emplace_back(goal);
  }

  std::vector<GoalStarts> run() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      for (std::uint32_t operation = 0; operation < schedule_[rank].operations.size(); ++operation)
        offer(rank, operation);
    }
    begin_messages();
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ns_ = event.time_ns;
      if (!event.is_end)
        begin_calculation(event.rank, static_cast<std::int32_t>(event.number));
      else if (operation_of(event.rank, event.number).kind == GoalOperation::Kind::calculation)
        end_calculation(event.rank, event.number);
      else
        end(event.rank, event.number);
      begin_messages();
    }
    std::vector<GoalStarts> starts;
    for (RankOnCpus& rank : ranks_)
      starts.push_back(std::move(rank.starts));
    return starts;
  }

 private:
  /// An operation ends; or, after all else at that time, a cpu begins the next calculation.
  struct Event {
    std::int64_t time_ns;
    bool is_end;
    std::uint32_t rank;
    std::uint32_t number;  ///< the operation's, or the cpu's

    /// The last one is the first that a queue gives.
    friend bool operator<(const Event& a, const Event& b) {
      return std::tuple(b.time_ns, a.is_end, b.rank, b.number) <
             std::tuple(a.time_ns, b.is_end, a.rank, a.number);
    }
  };

  const GoalOperation& operation_of(std::uint32_t rank, std::uint32_t operation) const {
    return schedule_[rank].operations[operation];
  }

  /// If it may begin, it does so when its cpu is free.
  void offer(std::uint32_t rank, std::uint32_t operation) {
    if (!ranks_[rank].graph.may_begin(operation)) return;
    const GoalOperation& goal = operation_of(rank, operation);
    Cpu& cpu = ranks_[rank].cpus[goal.cpu];
    if (goal.kind != GoalOperation::Kind::calculation) {
      if (cpu.calculates)
        cpu.messages.push(operation);
      else
        messages_.emplace_back(rank, operation);
      return;
    }
    cpu.calculations.push(operation);
    if (!cpu.calculates) events_.push({now_ns_, false, rank, static_cast<std::uint32_t>(goal.cpu)});
  }

  void begin(std::uint32_t rank, std::uint32_t operation) {
    RankOnCpus& of = ranks_[rank];
    of.starts.start_ns[operation] = now_ns_;
    of.starts.order.push_back(operation);
    of.graph.begin(operation, [&](std::uint32_t next) { offer(rank, next); });
  }
  void end(std::uint32_t rank, std::uint32_t operation) {
    ranks_[rank].graph.end(operation, [&](std::uint32_t next) { offer(rank, next); });
  }

  void begin_messages() {
    while (!messages_.empty()) {
      const auto [rank, operation] = messages_.front();
      messages_.pop_front();
      const GoalOperation& goal = operation_of(rank, operation);
      begin(rank, operation);
      const auto tag = static_cast<std::int32_t>(std::max<std::int64_t>(goal.tag, 0));
      if (goal.kind == GoalOperation::Kind::receive) {
        if (const auto taken = ranks_[rank].matching.post({0, goal.peer, goal.tag < 0, tag}, operation))
          transfer(taken->second, rank, operation);
        continue;
      }
      if (!waits(goal)) end(rank, operation);
      const Sent sent{rank, operation, now_ns_};
      const auto receiver = static_cast<std::uint32_t>(goal.peer);
      const auto receive =
          ranks_[receiver].matching.arrive({0, static_cast<std::int32_t>(rank), false, tag}, sent);
      if (receive) transfer(sent, receiver, *receive);
    }
  }

  bool waits(const GoalOperation& send) const { return send.size > network_.most_eager_bytes; }
  void transfer(const Sent& sent, std::uint32_t rank, std::uint32_t receive) {
    const GoalOperation& send = operation_of(sent.rank, sent.operation);
    const auto bytes_ns = static_cast<std::int64_t>(network_.ns_per_byte * static_cast<double>(send.size));
    const std::int64_t comes_ns = (waits(send) ? now_ns_ : sent.time_ns) + network_.latency_ns + bytes_ns;
    if (waits(send)) end_at(comes_ns, sent.rank, sent.operation);
    end_at(comes_ns, rank, receive);
  }
  void end_at(std::int64_t time_ns, std::uint32_t rank, std::uint32_t operation) {
    if (time_ns <= now_ns_) return end(rank, operation);
    events_.push({time_ns, true, rank, operation});
  }

  void begin_calculation(std::uint32_t rank, std::int32_t number) {
    Cpu& cpu = ranks_[rank].cpus[number];
    if (cpu.calculates || cpu.calculations.empty()) return;
    const std::uint32_t operation = cpu.calculations.top();
    const std::int64_t length_ns = operation_of(rank, operation).size;
    constexpr std::int64_t longest_ns = std::int64_t{1} << 60;
    if (length_ns > longest_ns - now_ns_) return;  // import_goal() refuses it
    cpu.calculations.pop();
    cpu.calculates = true;
    begin(rank, operation);
    events_.push({now_ns_ + length_ns, true, rank, operation});
  }

  void end_calculation(std::uint32_t rank, std::uint32_t operation) {
    const std::int32_t number = operation_of(rank, operation).cpu;
    Cpu& cpu = ranks_[rank].cpus[number];
    cpu.calculates = false;
    for (; !cpu.messages.empty(); cpu.messages.pop())
      messages_.emplace_back(rank, cpu.messages.top());
    if (!cpu.calculations.empty()) events_.push({now_ns_, false, rank, static_cast<std::uint32_t>(number)});
    end(rank, operation);
  }

  const std::vector<GoalRank>& schedule_;
  GoalNetwork network_;
  std::vector<RankOnCpus> ranks_;
  std::priority_queue<Event> events_;
  std::deque<std::pair<std::uint32_t, std::uint32_t>> messages_;  ///< rank and operation; they begin now
  std::int64_t now_ns_ = 0;
};

}  // namespace

std::vector<GoalStarts> execute_goal(const std::vector<GoalRank>& schedule, const GoalNetwork& network) {
  return GoalExecution(schedule, network).run();
}

}  // namespace finegrain::formats
