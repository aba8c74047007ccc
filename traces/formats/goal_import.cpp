// SPDX-License-Identifier: MIT
#include "traces/formats/goal_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "traces/formats/any_source.hpp"
#include "traces/formats/goal_schedule.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"

namespace finegrain::formats {
namespace {

/// What a graph can express, and a rank's sequence of calls cannot.
struct Lost {
  std::int64_t choices = 0;       ///< times that a rank waits for one of several
  std::int64_t calculations = 0;  ///< on another cpu than the first
  std::int64_t starts = 0;        ///< of calculations, with which something else may begin
};

/// Turns one rank's graph into calls.
class GoalOrder {
 public:
  GoalOrder(const GoalRank& rank, const std::string& file, Lost& lost)
      : rank_(rank),
        file_(file),
        lost_(lost),
        states_(rank.operations.size()),
        dependents_(rank.dependencies),
        needs_(rank.dependencies) {
    std::ranges::stable_sort(dependents_, {}, &GoalDependency::on);
    std::ranges::stable_sort(needs_, {}, &GoalDependency::operation);
    for (const GoalDependency& dependency : dependents_) {
      ++states_[dependency.operation].not_begun;
      if (dependency.on_its_end) ++states_[dependency.operation].not_ended;
    }
  }

  RankCalls calls() && {
    call("MPI_Init");
    for (std::uint32_t operation = 0; operation < states_.size(); ++operation)
      offer(operation);
    while (begun_ < states_.size()) {
      if (!messages_.empty()) {
        begin_message(take(messages_));
      } else if (!calculations_.empty()) {
        begin_calculation(take(calculations_));
      } else if (!waiting_.empty()) {
        wait_for(take(waiting_));
      } else {
        refuse_circle();
      }
    }
    std::vector<std::int64_t> open;
    for (const State& state : states_) {
      if (state.request > 0 && !state.has_ended) open.push_back(state.request);
    }
    if (!open.empty()) call("MPI_Waitall").complete(open);
    call("MPI_Finalize");
    return std::move(calls_);
  }

 private:
  struct State {
    std::int32_t not_begun = 0;  ///< of those that it depends on
    std::int32_t not_ended = 0;  ///< of those that have to
    std::int64_t request = 0;    ///< of a message that has begun
    bool has_begun = false;
    bool has_ended = false;
    bool waits = false;  ///< in waiting_: all that it depends on has begun
  };
  using Queue = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

  static std::uint32_t take(Queue& queue) {
    const std::uint32_t first = queue.top();
    queue.pop();
    return first;
  }

  /// @param sorted  by `by`
  static std::span<const GoalDependency> of(std::uint32_t operation,
                                            const std::vector<GoalDependency>& sorted,
                                            std::uint32_t GoalDependency::*by) {
    return {std::ranges::lower_bound(sorted, operation, {}, by),
            std::ranges::upper_bound(sorted, operation, {}, by)};
  }
  std::span<const GoalDependency> dependents(std::uint32_t operation) const {
    return of(operation, dependents_, &GoalDependency::on);
  }
  std::span<const GoalDependency> needs(std::uint32_t operation) const {
    return of(operation, needs_, &GoalDependency::operation);
  }

  /// Puts the operation where it belongs, if all that it depends on has begun.
  void offer(std::uint32_t operation) {
    State& state = states_[operation];
    if (state.has_begun || state.not_begun > 0) return;
    if (state.not_ended > 0) {
      if (!std::exchange(state.waits, true)) waiting_.push(operation);
      return;
    }
    const bool calculates = rank_.operations[operation].kind == GoalOperation::Kind::calculation;
    (calculates ? calculations_ : messages_).push(operation);
  }

  RankCalls& call(const char* function) {
    calls_.begin(RegionName(function), now_ns_);
    return calls_;
  }

  void begin(std::uint32_t operation) {
    states_[operation].has_begun = true;
    ++begun_;
    for (const GoalDependency& dependency : dependents(operation)) {
      --states_[dependency.operation].not_begun;
      offer(dependency.operation);
    }
  }
  void end(std::uint32_t operation) {
    states_[operation].has_ended = true;
    for (const GoalDependency& dependency : dependents(operation)) {
      if (!dependency.on_its_end) continue;
      --states_[dependency.operation].not_ended;
      offer(dependency.operation);
    }
  }

  void begin_message(std::uint32_t number) {
    const GoalOperation& operation = rank_.operations[number];
    const bool sends = operation.kind == GoalOperation::Kind::send;
    const Post post{.kind = sends ? TransferKind::send : TransferKind::receive,
                    .any_source = operation.peer < 0,
                    .any_tag = operation.tag < 0,
                    .peer = operation.peer,
                    .tag = operation.tag < 0 ? unknown_tag : operation.tag,
                    .size_bytes = operation.size};
    states_[number].request = call(sends ? "MPI_Isend" : "MPI_Irecv").add(post);
    begin(number);
  }
  void begin_calculation(std::uint32_t number) {
    const GoalOperation& operation = rank_.operations[number];
    if (operation.cpu != 0) ++lost_.calculations;
    if (std::ranges::any_of(dependents(number), std::logical_not(), &GoalDependency::on_its_end))
      ++lost_.starts;
    constexpr std::int64_t longest_ns = std::int64_t{1} << 60;
    if (operation.size > longest_ns - now_ns_)
      refuse(number, "calculates on for longer than 36 years", "Give it less: calc is in nanoseconds");
    now_ns_ += operation.size;
    begin(number);
    end(number);
  }
  /// Until the operation may begin.
  void wait_for(std::uint32_t number) {
    const auto is_ready = [this](std::uint32_t one) { return states_[one].not_ended == 0; };
    if (is_ready(number)) return;  // another wait was enough
    while (!waiting_.empty() && is_ready(waiting_.top()))
      waiting_.pop();
    if (!waiting_.empty()) ++lost_.choices;
    std::vector<std::uint32_t> ended;
    for (const GoalDependency& dependency : needs(number)) {
      if (dependency.on_its_end && !states_[dependency.on].has_ended) ended.push_back(dependency.on);
    }
    std::ranges::sort(ended);
    ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
    std::vector<std::int64_t> requests;
    for (const std::uint32_t operation : ended)
      requests.push_back(states_[operation].request);
    call("MPI_Waitall").complete(requests);
    for (const std::uint32_t operation : ended)
      end(operation);
  }

  [[noreturn]] void refuse(std::size_t number, const char* problem, const char* remedy) const {
    throw InputError(fmt::format("{}:{}", file_, rank_.operations[number].line), problem, remedy);
  }
  [[noreturn]] void refuse_circle() const {
    const auto first = std::ranges::find(states_, false, &State::has_begun);
    refuse(static_cast<std::size_t>(first - states_.begin()),
           "waits for itself (what it requires requires it)", "Take out one of the dependencies");
  }

  const GoalRank& rank_;
  const std::string& file_;
  Lost& lost_;
  std::vector<State> states_;
  std::vector<GoalDependency> dependents_;  ///< by what they depend on
  std::vector<GoalDependency> needs_;       ///< by what depends
  Queue messages_, calculations_, waiting_;
  std::size_t begun_ = 0;
  std::int64_t now_ns_ = 0;
  RankCalls calls_;
};

}  // namespace

Import import_goal(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::string file = path.string();
  const MappedFile mapped(path);
  const std::vector<GoalRank> schedule =
      read_goal({reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()}, file);
  Lost lost;
  std::vector<RankCalls> calls;
  for (const GoalRank& rank : schedule)
    calls.push_back(GoalOrder(rank, file, lost).calls());
  const AnySource sources = find_sources(calls, {});
  ImportedTrace trace(folder, static_cast<int>(calls.size()));
  for (std::size_t rank = 0; rank < calls.size(); ++rank)
    trace.write(static_cast<int>(rank), calls[rank]);
  Import result = trace.finish({file, {{"imported", "GOAL schedule"}}});
  if (lost.choices > 0)
    result.notes.push_back(fmt::format(
        "{} times a rank may go on with whichever of several operations can begin first: it waits for the "
        "one that comes first in the schedule",
        lost.choices));
  if (lost.calculations > 0)
    result.notes.push_back(fmt::format(
        "{} calculations on other cpus than 0: a rank calculates one after the other", lost.calculations));
  if (lost.starts > 0)
    result.notes.push_back(fmt::format(
        "{} calculations with which other operations may begin: these come after their end", lost.starts));
  append_notes(result.notes, sources);
  return result;
}

}  // namespace finegrain::formats
