// SPDX-License-Identifier: MIT
// When nothing happens any more: which ranks wait, for what, and whether one of them may go on.
#include <fmt/format.h>

#include <algorithm>

#include "sim/replay/engine/simulation.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {
namespace {

constexpr std::size_t most_named = 3;

std::string joined(std::vector<std::string> texts) {
  const std::size_t all = texts.size();
  texts.resize(std::min(all, most_named));
  if (all > most_named) texts.push_back(fmt::format("{} others", all - most_named));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The send or the receive of a connection's message in the program of its rank; none: the program has fewer.
/// @param kind  which of the two
std::optional<Post> post_of(const Programs& programs, const Connection& connection, TransferKind kind,
                            std::int64_t message) {
  const bool is_send = kind == TransferKind::send;
  const std::int32_t peer = is_send ? connection.receiver : connection.sender;
  const auto program = programs.rank(is_send ? connection.sender : connection.receiver);
  std::int64_t before = 0;
  while (const Loop* loop = program->next()) {
    std::vector<Post> posts;
    for_each_post(loop->body->operations, [&](const Post& post) {
      if (post.kind == kind && post.peer == peer && post.communicator == connection.communicator &&
          post.tag == connection.tag)
        posts.push_back(post);
    });
    const std::int64_t all = std::ssize(posts) * loop->count;
    if (message < before + all)
      return posts[static_cast<std::size_t>((message - before) % std::ssize(posts))];
    before += all;
  }
  return std::nullopt;
}

}  // namespace

bool FlowSimulation::pass_over_a_wait() {
  Rank* first = nullptr;
  for (Rank& rank : ranks_) {
    if (rank.program == nullptr || rank.collective != nullptr) continue;
    const bool may_go_on = std::ranges::any_of(rank.posted, [&](const auto& of_instance) {
      return std::ranges::any_of(of_instance.second, [&](std::size_t number) {
        const collectives::Call& call = strand(number).collective->collective.call;
        return call.blocking && waits_depend_on_algorithm(call.kind) &&
               rank.requests.awaits(strand(number).request);
      });
    });
    // The one that has waited longest is the least likely to wait only because others do.
    if (may_go_on && (first == nullptr || rank.region_start_s < first->region_start_s)) first = &rank;
  }
  if (first == nullptr || early_end().ranks > 0) return false;
  first->waits.late_collective_s += now_s() - first->waits_since_s;
  ranks_.pass_over(*first);
  return true;
}

EarlyEnd FlowSimulation::early_end() const {
  EarlyEnd end;
  for (const Rank& rank : ranks_) {
    if (!rank.has_finished || !iterations_->ends_early(rank.rank)) continue;
    if (end.ranks++ > 0 && rank.replay.finish_s >= end.first_s) continue;
    end.first_rank = static_cast<std::int32_t>(rank.rank);
    end.first_s = rank.replay.finish_s;
  }
  if (end.ranks > 0) end.waiting = where_ranks_wait();
  return end;
}

std::string FlowSimulation::where_waits(const Rank& rank, const ReplayResult& names) const {
  return names.regions.empty() ? std::string(job_.schedule->ranks[rank.rank].regions[rank.region].name.text())
                               : names.regions[rank.rank][rank.program->region_places[rank.region]];
}

std::string FlowSimulation::where_ranks_wait() const {
  ReplayResult names;
  iterations_->report(names);
  std::vector<std::string> places;
  for (const Rank& rank : ranks_)
    if (!rank.has_finished && rank.program != nullptr)
      places.push_back(fmt::format("rank {} in {}", rank.rank, where_waits(rank, names)));
  return joined(std::move(places));
}

std::vector<std::string> FlowSimulation::sends_that_need_buffers() const {
  std::vector<std::string> sends;
  if (job_.tasks != nullptr) return sends;  // what ranks do later is not known
  const SchedulePrograms of_schedule(*job_.schedule);
  const Programs& programs = job_.programs != nullptr ? *job_.programs : of_schedule;
  ReplayResult names;
  iterations_->report(names);
  for (std::size_t c = 0; c < compiler_.connections().size(); ++c) {
    const Offer* const offer = matching_.waiting_offer(c);
    if (offer == nullptr || !is_rank(offer->sender)) continue;
    const Rank& sender = ranks_[offer->sender];
    if (sender.program == nullptr || !sender.requests.awaits(offer->request)) continue;
    const Connection& connection = compiler_.connections()[c];
    const auto send = post_of(programs, connection, TransferKind::send, offer->message);
    if (!send || send->is_synchronous ||
        !post_of(programs, connection, TransferKind::receive, offer->message))
      continue;
    sends.push_back(fmt::format("rank {} in {} ({} B to rank {}, tag {})", connection.sender,
                                where_waits(sender, names), send->size_bytes, connection.receiver,
                                connection.tag));
  }
  return sends;
}

void FlowSimulation::refuse_standstill() const {
  if (const std::string why = network_->why_nothing_moves(); !why.empty())
    throw InputError(job_.platform->file.string(),
                     fmt::format("the ranks wait for one another forever: {} ({})", where_ranks_wait(), why),
                     "Change the platform's network");
  const char* const what = job_.programs == nullptr ? "schedule" : "program";
  const std::vector<std::string> sends = sends_that_need_buffers();
  if (sends.empty())
    throw InputError(what,
                     fmt::format("the ranks wait for one another forever: {} (a message, a barrier or the "
                                 "release of a lock is missing)",
                                 where_ranks_wait()),
                     "Check the trace it comes from: finegrain trace verify");
  throw InputError(
      what,
      fmt::format("the ranks wait for one another forever, because sends rely on buffering: {} "
                  "(longer than eager_limit, and received only later)",
                  joined(sends)),
      "Set eager_limit to that of the recorded MPI; with a lower one the program itself would hang");
}

}  // namespace finegrain::replay
