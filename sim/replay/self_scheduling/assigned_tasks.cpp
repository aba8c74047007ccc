// SPDX-License-Identifier: MIT
#include "sim/replay/self_scheduling/assigned_tasks.hpp"

#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/share_read.hpp"

namespace finegrain::replay {

/// Gives a piece as a loop that is done once.
class AssignedTasks::OneLoop {
 public:
  const Loop* give(std::shared_ptr<const Body> body, double seconds) {
    seconds_ = seconds;
    loop_ = {std::move(body), 1, {&seconds_, 1}};
    return &loop_;
  }

 private:
  double seconds_ = 0;
  Loop loop_{};
};

class AssignedTasks::MasterCursor : public ProgramCursor, public KnowsShareRead {
 public:
  explicit MasterCursor(const AssignedTasks& tasks) : tasks_(tasks), after_(results().front().first) {}

  bool is_decided() const override {
    return next_ < after_ || answers_ == results().size() || answers_ < tasks_.taken_.size();
  }
  double share_read() const override { return tasks_.share_taken(); }
  const Loop* next() override {
    while (next_ == after_)
      if (!go_to_next_part()) return nullptr;
    const SelfScheduling::MasterPiece& next = tasks_.found_.master_pieces[next_++];
    const Loop* loop =
        loop_.give(next.with_sender.empty() ? next.piece.body : with_sender(next), next.piece.seconds);
    if (takes_ && next_ == after_) go_to_next_part();  // to the answer, which may be empty
    return loop;
  }

 private:
  struct Known {
    std::shared_ptr<const Body> recorded;  ///< so that no other one lies at its address
    std::shared_ptr<const Body> bound;
  };

  const std::vector<SelfScheduling::Result>& results() const { return tasks_.found_.results; }

  /// From taking a result to its answer, or from there to taking the next one. @returns whether there is one
  bool go_to_next_part() {
    if (!takes_ && answers_ == results().size()) return false;
    takes_ = !takes_;
    if (takes_) {
      const SelfScheduling::Result& taken = results()[tasks_.taken_[answers_].result];
      next_ = taken.first;
      after_ = taken.answer;
    } else {
      next_ = results()[answers_].answer;
      after_ = results()[answers_].after;
      ++answers_;
    }
    return true;
  }

  /// The piece's body, with the worker whose result was taken.
  std::shared_ptr<const Body> with_sender(const SelfScheduling::MasterPiece& piece) {
    constexpr std::size_t most_known = 4096;
    if (known_.size() > most_known) known_.clear();
    const std::int32_t worker = tasks_.taken_[takes_ ? answers_ : answers_ - 1].worker;
    Known& known = known_[{piece.piece.body.get(), worker}];
    if (known.bound != nullptr) return known.bound;
    auto body = std::make_shared<Body>(*piece.piece.body);
    for (const std::size_t operation : piece.with_sender) {
      auto& post = std::get<Post>(body->operations[operation]);
      post.peer = worker;
      post.any_source = false;
      post.any_tag = false;
    }
    known = {piece.piece.body, std::move(body)};
    return known.bound;
  }

  const AssignedTasks& tasks_;
  std::size_t answers_ = 0;  ///< that it has begun
  bool takes_ = false;       ///< the result of the next one
  std::size_t next_ = 0;     ///< piece
  std::size_t after_;        ///< the end of its part
  std::map<std::pair<const Body*, std::int32_t>, Known> known_;
  OneLoop loop_;
};

class AssignedTasks::WorkerCursor : public ProgramCursor, public KnowsShareRead {
 public:
  WorkerCursor(const AssignedTasks& tasks, std::int32_t rank)
      : tasks_(tasks), rank_(rank), next_(stretches().front().first) {}

  bool is_decided() const override {
    const Stretch& now = stretches()[stretch_];
    return next_ < now.after || stretch_ + 1 < stretches().size() || !tasks_.next_result_.at(rank_);
  }
  double share_read() const override { return tasks_.share_taken(); }
  const Loop* next() override {
    while (next_ == stretches()[stretch_].after) {
      if (stretch_ + 1 == stretches().size()) return nullptr;
      next_ = stretches()[++stretch_].first;
    }
    const Piece& piece = stretches()[stretch_].of->pieces[next_++];
    return loop_.give(piece.body, piece.seconds);
  }

 private:
  const std::vector<Stretch>& stretches() const { return tasks_.stretches_.at(rank_); }

  const AssignedTasks& tasks_;
  std::int32_t rank_;
  std::size_t stretch_ = 0;
  std::size_t next_;
  OneLoop loop_;
};

AssignedTasks::AssignedTasks(const Programs& recorded, const SelfScheduling& found)
    : DerivedPrograms(recorded), found_(found) {
  for (const auto& [rank, worker] : found.workers) {
    stretches_[rank] = {{&worker, 0, worker.after.front()}};
    next_result_[rank] = worker.results.front();
  }
}

void AssignedTasks::take(std::int32_t worker) {
  std::optional<std::size_t>& sent = next_result_.at(worker);
  if (!sent || taken_.size() == found_.results.size())
    throw InputError("program", "a worker sends more results than its master takes", "Check the trace");
  const SelfScheduling::Result& answered = found_.results[taken_.size()];
  taken_.push_back({worker, *sent});
  std::int32_t of = answered.worker;
  std::size_t number = answered.number;
  if (!answered.has_task) {  // its own, the next one of those
    of = worker;
    number = next_of_its_own(worker);
  }
  const SelfScheduling::Worker& recorded = found_.workers.at(of);
  const bool is_last = number + 1 == recorded.results.size();
  stretches_.at(worker).push_back(
      {&recorded, recorded.after[number], is_last ? recorded.pieces.size() : recorded.after[number + 1]});
  sent = is_last ? std::nullopt : std::optional(recorded.results[number + 1]);
}

std::size_t AssignedTasks::next_of_its_own(std::int32_t worker) {
  const std::vector<std::size_t>& results = found_.workers.at(worker).results;
  std::size_t& next = next_own_[worker];
  while (next < results.size() && found_.results[results[next]].has_task)
    ++next;
  if (next == results.size())
    throw InputError("program", "a worker would be done before its recording is", "Check the trace");
  return next++;
}

bool AssignedTasks::is_result(std::int32_t sender, std::int32_t receiver, std::int32_t communicator,
                              std::int32_t tag) const {
  return receiver == found_.master && communicator == found_.communicator &&
         (!found_.tag || tag == *found_.tag) && found_.workers.contains(sender);
}

TasksGiven AssignedTasks::given() const {
  TasksGiven given{.master = found_.master};
  for (std::size_t r = 0; r < taken_.size(); ++r) {
    const bool is_elsewhere = taken_[r].worker != found_.results[r].worker;
    ++given.results;
    given.other_order += is_elsewhere ? 1 : 0;
    if (!found_.results[r].has_task) continue;
    ++given.tasks;
    given.moved += is_elsewhere ? 1 : 0;
  }
  return given;
}

std::unique_ptr<ProgramCursor> AssignedTasks::rank(int rank) const {
  if (rank == found_.master) return std::make_unique<MasterCursor>(*this);
  if (found_.workers.contains(rank)) return std::make_unique<WorkerCursor>(*this, rank);
  return programs().rank(rank);
}

}  // namespace finegrain::replay
