// SPDX-License-Identifier: MIT
#include "traces/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "traces/formats/any_source.hpp"
#include "traces/formats/goal_binary.hpp"
#include "traces/formats/goal_execution.hpp"
#include "traces/formats/goal_graph.hpp"
#include "traces/formats/goal_schedule.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/units.hpp"

namespace finegrain::formats {
namespace {

/// What a graph can express, and a rank's sequence of calls cannot.
struct Lost {
  std::int64_t choices = 0;   ///< times that a rank goes on with what can begin first of several operations
  std::int64_t executed = 0;  ///< those of them that an execution decides
  std::int64_t cpus = 0;      ///< ranks that use several
  bool takes_time = false;    ///< messages, in the execution that decides the order of all ranks
  std::int64_t starts = 0;    ///< starts of calculations, with which something else may begin
};

/// In the execution that decides what begins first: a latency of 1 us and 100 Gbit/s, as InfiniBand EDR has,
/// and LogGOPSim's default for the size of messages whose sends do not wait. A trace has one order on all
/// platforms.
constexpr GoalNetwork usual_network{.latency_ns = 1'000, .ns_per_byte = 0.08, .most_eager_bytes = 65'535};

/// Makes one rank's calls of its operations, in an order that somebody else decides.
class GoalCalls {
 public:
  explicit GoalCalls(const GoalRank& rank)
      : rank_(rank), requests_(rank.operations.size()), is_open_(rank.operations.size()) {
    call("MPI_Init");
  }

  void begin_message(std::uint32_t number) {
    const GoalOperation& operation = rank_.operations[number];
    const bool sends = operation.kind == GoalOperation::Kind::send;
    const Post post{.kind = sends ? TransferKind::send : TransferKind::receive,
                    .any_source = operation.peer < 0,
                    .any_tag = operation.tag < 0,
                    .peer = operation.peer,
                    .tag = operation.tag < 0 ? unknown_tag : static_cast<std::int32_t>(operation.tag),
                    .size_bytes = operation.size};
    requests_[number] = call(sends ? "MPI_Isend" : "MPI_Irecv").add(post);
    is_open_[number] = true;
  }
  bool is_open(std::uint32_t message) const { return is_open_[message]; }
  void wait_for(std::vector<std::uint32_t> messages) {
    std::ranges::sort(messages);
    messages.erase(std::unique(messages.begin(), messages.end()), messages.end());
    std::vector<std::int64_t> requests;
    for (const std::uint32_t message : messages) {
      requests.push_back(requests_[message]);
      is_open_[message] = false;
    }
    call("MPI_Waitall").complete(requests);
  }
  RankCalls finish() && {
    std::vector<std::uint32_t> open;
    for (std::uint32_t message = 0; message < is_open_.size(); ++message)
      if (is_open_[message]) open.push_back(message);
    if (!open.empty()) wait_for(std::move(open));
    call("MPI_Finalize");
    return std::move(calls_);
  }

  std::int64_t now_ns = 0;  ///< work so far

 private:
  RankCalls& call(const char* function) {
    calls_.begin(RegionName(function), now_ns);
    return calls_;
  }

  const GoalRank& rank_;
  std::vector<std::int64_t> requests_;  ///< by their operations
  std::vector<bool> is_open_;
  RankCalls calls_;
};

/// Chooses one order of a rank's graph, of which all is on one cpu: messages that may begin, then a
/// calculation, and a wait only where nothing may begin.
class GoalOrder {
 public:
  GoalOrder(const GoalRank& rank, const std::string& file, Lost& lost)
      : rank_(rank), file_(file), lost_(lost), graph_(rank), waits_(rank.operations.size()), calls_(rank) {}

  RankCalls calls() && {
    for (std::uint32_t operation = 0; operation < graph_.operations(); ++operation)
      offer(operation);
    while (begun_ < graph_.operations()) {
      if (!messages_.empty()) {
        const std::uint32_t message = take(messages_);
        calls_.begin_message(message);
        begin(message);
      } else if (!calculations_.empty()) {
        begin_calculation(take(calculations_));
      } else if (!waiting_.empty()) {
        wait_for(take(waiting_));
      } else {
        refuse_circle();
      }
    }
    return std::move(calls_).finish();
  }

 private:
  using Queue = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

  static std::uint32_t take(Queue& queue) {
    const std::uint32_t first = queue.top();
    queue.pop();
    return first;
  }

  /// Puts the operation where it belongs, if all that it depends on has begun.
  void offer(std::uint32_t operation) {
    if (!graph_.is_near(operation)) return;
    if (!graph_.is_ready(operation)) {
      if (!waits_[operation]) {
        waiting_.push(operation);
        waits_since_.emplace_back(operation, steps_);
      }
      waits_[operation] = true;
      return;
    }
    const bool calculates = rank_.operations[operation].kind == GoalOperation::Kind::calculation;
    (calculates ? calculations_ : messages_).push(operation);
  }

  void begin(std::uint32_t operation) {
    ++begun_;
    graph_.begin(operation, [this](std::uint32_t next) { offer(next); });
  }
  void end(std::uint32_t operation) {
    graph_.end(operation, [this](std::uint32_t next) { offer(next); });
  }

  void begin_calculation(std::uint32_t number) {
    const GoalOperation& operation = rank_.operations[number];
    if (std::ranges::any_of(graph_.dependents(number), std::logical_not(), &GoalDependency::on_its_end))
      ++lost_.starts;
    constexpr std::int64_t longest_ns = std::int64_t{1} << 60;
    if (operation.size > longest_ns - calls_.now_ns)
      refuse(number, "calculates on for longer than 36 years", "Give it less: calc is in nanoseconds");
    if (operation.size > 0) {
      if (may_have_come()) ++lost_.choices;
      ++steps_;
    }
    calls_.now_ns += operation.size;
    begin(number);
    end(number);
  }
  /// Whether the rank has calculated since an operation began to wait for messages, so that this one may
  /// begin now, if they came meanwhile.
  bool may_have_come() {
    while (!waits_since_.empty() && graph_.is_ready(waits_since_.front().first))
      waits_since_.pop_front();
    return !waits_since_.empty() && waits_since_.front().second < steps_;
  }
  /// Until the operation may begin.
  void wait_for(std::uint32_t number) {
    if (graph_.is_ready(number)) return;  // another wait was enough
    while (!waiting_.empty() && graph_.is_ready(waiting_.top()))
      waiting_.pop();
    if (!waiting_.empty()) ++lost_.choices;
    std::vector<std::uint32_t> ended;
    for (const GoalDependency& dependency : graph_.needs(number)) {
      if (dependency.on_its_end && !graph_.has_ended(dependency.on)) ended.push_back(dependency.on);
    }
    calls_.wait_for(ended);
    std::ranges::sort(ended);
    ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
    for (const std::uint32_t operation : ended)
      end(operation);
  }

  [[noreturn]] void refuse(std::uint32_t number, const char* problem, const char* remedy) const {
    throw InputError(fmt::format("{}:{}", file_, rank_.operations[number].line), problem, remedy);
  }
  [[noreturn]] void refuse_circle() const {
    std::uint32_t first = 0;
    while (graph_.has_begun(first))
      ++first;
    refuse(first, "waits for itself (what it requires requires it)", "Take out one of the dependencies");
  }

  const GoalRank& rank_;
  const std::string& file_;
  Lost& lost_;
  GoalGraph graph_;
  std::vector<bool> waits_;  ///< whether it is in waiting_, or was
  Queue messages_, calculations_, waiting_;
  std::deque<std::pair<std::uint32_t, std::int64_t>> waits_since_;  ///< those of waiting_, and steps_ then
  std::int64_t steps_ = 0;                                          ///< calculations so far that take time
  std::uint32_t begun_ = 0;
  GoalCalls calls_;
};

/// What a rank's cpus do, in the order in which it begins in an execution. The rank works while any of its
/// cpus calculates, so that a message on one cpu stands within the calculation on another.
RankCalls calls_in_order(const GoalRank& rank, const GoalStarts& starts) {
  const GoalGraph graph(rank);
  GoalCalls calls(rank);
  std::int64_t work_ns = 0;   // all calculations that have begun, together
  std::int64_t until_ns = 0;  // that the last of them goes on
  for (const std::uint32_t number : starts.order) {
    const GoalOperation& operation = rank.operations[number];
    const std::int64_t start_ns = starts.start_ns[number];
    calls.now_ns = work_ns - std::max<std::int64_t>(0, until_ns - start_ns);
    std::vector<std::uint32_t> ended;
    for (const GoalDependency& dependency : graph.needs(number))
      if (dependency.on_its_end && calls.is_open(dependency.on)) ended.push_back(dependency.on);
    if (!ended.empty()) calls.wait_for(std::move(ended));
    if (operation.kind != GoalOperation::Kind::calculation) {
      calls.begin_message(number);
      continue;
    }
    const std::int64_t end_ns = start_ns + operation.size;
    work_ns += std::max<std::int64_t>(0, end_ns - std::max(start_ns, until_ns));
    until_ns = std::max(until_ns, end_ns);
  }
  calls.now_ns = work_ns;
  return std::move(calls).finish();
}

bool has_several_cpus(const GoalRank& rank) {
  return std::ranges::any_of(rank.operations, [&](const GoalOperation& operation) {
    return operation.cpu != rank.operations.front().cpu;
  });
}

std::vector<RankCalls> calls_of(const std::vector<GoalRank>& schedule, const std::string& file, Lost& lost) {
  lost.cpus = std::ranges::count_if(schedule, has_several_cpus);
  std::vector<GoalStarts> starts;
  if (lost.cpus > 0) starts = execute_goal(schedule);
  // An execution that comes to no end has no order; one that is chosen without it names a circle.
  const auto is_executed = [&](std::size_t rank) {
    return starts[rank].order.size() == schedule[rank].operations.size();
  };
  std::vector<RankCalls> calls;
  std::vector<std::pair<std::size_t, std::int64_t>> chosen;  // ranks, and how many choices
  for (std::size_t r = 0; r < schedule.size(); ++r) {
    if (has_several_cpus(schedule[r]) && is_executed(r)) {
      calls.push_back(calls_in_order(schedule[r], starts[r]));
      continue;
    }
    const std::int64_t choices_before = lost.choices;
    calls.push_back(GoalOrder(schedule[r], file, lost).calls());
    if (lost.choices > choices_before) chosen.emplace_back(r, lost.choices - choices_before);
  }
  if (chosen.empty()) return calls;
  // Orders of two executions together may wait for each other for ever, so this one decides all that one
  // does.
  starts = execute_goal(schedule, usual_network);
  for (std::size_t r = 0; r < schedule.size(); ++r) {
    if (!has_several_cpus(schedule[r]) || !is_executed(r)) continue;
    calls[r] = calls_in_order(schedule[r], starts[r]);
    lost.takes_time = true;
  }
  for (const auto& [r, choices] : chosen) {
    if (!is_executed(r)) continue;
    calls[r] = calls_in_order(schedule[r], starts[r]);
    lost.choices -= choices;
    lost.executed += choices;
  }
  return calls;
}

/// A trace's tags have 31 bits. Those of a schedule that have 32 get numbers that it does not use.
/// @returns how many tags do
std::int64_t renumber_tags(std::vector<GoalRank>& schedule) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  std::set<std::int64_t> used;
  for (const GoalRank& rank : schedule)
    for (const GoalOperation& operation : rank.operations)
      used.insert(operation.tag);
  std::map<std::int64_t, std::int64_t> numbers;
  std::int64_t next = most;
  for (auto tag = used.upper_bound(most); tag != used.end(); ++tag) {
    while (used.contains(next))
      --next;
    numbers[*tag] = next--;
  }
  if (numbers.empty()) return 0;
  for (GoalRank& rank : schedule) {
    for (GoalOperation& operation : rank.operations)
      if (operation.tag > most) operation.tag = numbers.at(operation.tag);
  }
  return std::ssize(numbers);
}

std::vector<GoalRank> read_schedule(const MappedFile& mapped, const std::string& file) {
  const std::span<const std::byte> bytes = mapped.bytes();
  if (is_goal_binary(bytes)) return read_goal_binary(bytes, file);
  return read_goal(mapped.text(), file);
}

}  // namespace

Import import_goal(const std::filesystem::path& path, const std::filesystem::path& folder,
                   const ImportOptions& /*options*/) {
  const std::string file = path.string();
  std::vector<GoalRank> schedule = read_schedule(MappedFile(path), file);
  const std::int64_t renumbered = renumber_tags(schedule);
  Lost lost;
  std::vector<RankCalls> calls = calls_of(schedule, file, lost);
  const AnySource sources = find_sources(calls, {});
  ImportedTrace trace(folder, static_cast<int>(calls.size()));
  for (std::size_t rank = 0; rank < calls.size(); ++rank)
    trace.write(static_cast<int>(rank), calls[rank]);
  Import result = trace.finish({file, {{"imported", "GOAL schedule"}}});
  constexpr const char* choice =
      "times a rank may go on with whichever of several operations can begin first";
  if (lost.executed > 0)
    result.notes.push_back(fmt::format(
        "{} {}: the order is that of an execution in which a message takes {} us and {} ns a byte, on all "
        "platforms",
        lost.executed, choice, usual_network.latency_ns / 1000, usual_network.ns_per_byte));
  if (lost.choices > 0)
    result.notes.push_back(fmt::format(
        "{} {}: it calculates before it waits, and waits for the one that comes first in the schedule",
        lost.choices, choice));
  if (lost.cpus > 0)
    result.notes.push_back(
        fmt::format("{} on several cpus: calculations overlap, and messages stand within them, as in an "
                    "execution in which messages take {}",
                    format_count(lost.cpus, "rank"),
                    lost.takes_time ? fmt::format("{} us and {} ns a byte", usual_network.latency_ns / 1000,
                                                  usual_network.ns_per_byte)
                                    : "no time"));
  if (lost.starts > 0)
    result.notes.push_back(fmt::format(
        "{} calculations with which other operations may begin: these come after their end", lost.starts));
  if (renumbered > 0)
    result.notes.push_back(
        fmt::format("{} of 2^31 or more have other numbers here", format_count(renumbered, "tag")));
  append_notes(result.notes, sources);
  return result;
}

}  // namespace finegrain::formats
