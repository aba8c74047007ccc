// SPDX-License-Identifier: MIT
#include "traces/scaling/typical_rank.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <variant>

#include "traces/scaling/lifted_ranks.hpp"
#include "traces/scaling/matched_messages.hpp"

namespace finegrain::scaling {
namespace {

/// Whole elements, unless it would be less than one.
std::int64_t scaled_size(std::int64_t bytes, double ratio, std::int64_t element_bytes) {
  const double scaled = static_cast<double>(bytes) * ratio;
  const auto element = static_cast<double>(element_bytes);
  return scaled < element ? std::llround(scaled) : element_bytes * std::llround(scaled / element);
}

}  // namespace

TypicalProgram::TypicalRank::TypicalRank(const TypicalProgram& plan, int rank)
    : plan_(plan),
      rank_(rank),
      recorded_(plan.lifted_->recorded_of(rank)),
      copy_(plan.lifted_->copy_of(rank)) {}

formats::RankCalls TypicalProgram::TypicalRank::calls() && {
  const RecordedRank& own = plan_.base_->recording->ranks[static_cast<std::size_t>(recorded_)];
  const double grows = static_cast<double>(plan_.lifted_->ranks()) / plan_.base_->messages.ranks();
  double now_ns = 0;
  for (std::size_t c = 0; c < own.calls.size(); ++c) {
    const RecordedCall& call = own.calls[c];
    now_ns += call.work_ns * std::pow(grows, plan_.trends_.exponent(between(own, c)));
    calls_.begin(plan_.sites_.written_name(call.site), static_cast<std::int64_t>(now_ns));
    for (std::size_t o = call.first_operation; o < call.first_operation + call.operation_count; ++o)
      add(own.operations[o], o);
  }
  return std::move(calls_);
}

void TypicalProgram::TypicalRank::add(const RecordedOperation& made, std::size_t number) {
  if (made.completion) return complete(*made.completion);
  Requests requests;
  if (const auto* post = std::get_if<Post>(&made.operation))
    add_posts(*post, plan_.base_->messages.number_of(recorded_, number), requests);
  else if (const auto* collective = std::get_if<Collective>(&made.operation))
    add_collectives(*collective, made.sizes, plan_.base_->messages.number_of(recorded_, number), requests);
  else if (const auto* lock = std::get_if<Lock>(&made.operation))
    add_lock(*lock);
  else
    calls_.add(made.operation);
  if (makes_request(made.operation)) open_.push_back(std::move(requests));
}

void TypicalProgram::TypicalRank::add_posts(Post post, std::int32_t channel, Requests& requests) {
  if (channel < 0) return;
  const Planned& planned = plan_.planned_[static_cast<std::size_t>(channel)];
  post.communicator = communicator(post.communicator);
  post.size_bytes =
      scaled_size(post.size_bytes, planned.size_ratio,
                  plan_.base_->messages.channels()[static_cast<std::size_t>(channel)].element_bytes);
  for (const int other :
       other_ranks(channel, post.kind == TransferKind::receive ? End::receiver : End::sender)) {
    post.peer = other;
    if (const std::int64_t request = calls_.add(post); request > 0) requests.push_back(request);
  }
}

/// A master's memory is in one copy, so all copies of the others contend for its lock. A lock whose rank is
/// cut off is left out.
void TypicalProgram::TypicalRank::add_lock(Lock lock) {
  if (plan_.is_only_one(recorded_, lock.window) && copy_ > 0) return;
  if (lock.peer >= 0) {
    const std::optional<int> peer = neighbour(lock.peer, lock.window);
    if (!peer) return;
    lock.peer = *peer;
  }
  lock.window = communicator(lock.window);
  calls_.add(lock);
}

std::int32_t TypicalProgram::TypicalRank::communicator(std::int32_t recorded) const {
  if (recorded == 0) return 0;
  const PlannedCommunicator& planned = plan_.planned_communicators_.at(recorded);
  return planned.numbers.at(plan_.lifted_->without(copy_, planned.joined));
}

std::optional<int> TypicalProgram::TypicalRank::neighbour(int recorded, std::int32_t communicator) const {
  if (plan_.is_only_one(recorded, communicator)) return plan_.lifted_->rank_of(recorded, 0);
  const Relation relation = relation_of(*plan_.base_grid_, recorded_, recorded);
  const unsigned ends = relation.passes_end & plan_.planned_communicators_.at(communicator).joined;
  const std::optional<int> copy = plan_.lifted_->moved(copy_, relation.steps_in(ends), ends);
  return copy ? plan_.lifted_->rank_of(recorded, *copy) : std::nullopt;
}

std::vector<int> TypicalProgram::TypicalRank::neighbours(int recorded, std::int32_t communicator) const {
  std::vector<int> ranks;
  const bool has_one_copy = plan_.is_only_one(recorded_, communicator);
  if (has_one_copy && copy_ > 0) return ranks;
  if (has_one_copy && !plan_.is_only_one(recorded, communicator)) {
    for (int copy = 0; copy < plan_.lifted_->copies(); ++copy)
      if (const auto rank = plan_.lifted_->rank_of(recorded, copy)) ranks.push_back(*rank);
  } else if (const std::optional<int> rank = neighbour(recorded, communicator)) {
    ranks.push_back(*rank);
  }
  return ranks;
}

const std::vector<int>& TypicalProgram::TypicalRank::other_ranks(std::int32_t channel, End end) {
  const auto [known, is_new] = other_ranks_.try_emplace({channel, end});
  if (is_new) known->second = ranks_at_other_end(channel, end);
  return known->second;
}

std::vector<int> TypicalProgram::TypicalRank::ranks_at_other_end(std::int32_t number, End end) const {
  const Channel& channel = plan_.base_->messages.channels()[static_cast<std::size_t>(number)];
  const Planned& planned = plan_.planned_[static_cast<std::size_t>(number)];
  const int other = end == End::sender ? channel.to : channel.from;
  const LiftedRanks& lifted = *plan_.lifted_;
  const auto times_of = [&](int copy) { return std::size_t{planned.times[static_cast<std::size_t>(copy)]}; };
  std::vector<int> ranks;
  if (plan_.is_hub_channel(channel)) {
    const bool other_is_hub = plan_.is_hub(other);
    const int first = plan_.is_hub(recorded_) ? 0 : copy_;
    const int last = plan_.is_hub(recorded_) && !other_is_hub ? lifted.copies() - 1 : first;
    if (plan_.is_hub(recorded_) && copy_ > 0) return ranks;
    for (int copy = first; copy <= last; ++copy)
      if (times_of(copy) > 0)
        ranks.insert(ranks.end(), times_of(copy), *lifted.rank_of(other, other_is_hub ? 0 : copy));
    return ranks;
  }
  if (end == End::receiver) return ranks_of_senders(number);
  for (int n = 0; n < static_cast<int>(times_of(copy_)); ++n)
    ranks.push_back(*lifted.rank_of(other, *plan_.other_copy(number, copy_, n)));
  return ranks;
}

/// In the order in which all copies send: first the first message of each, then the second. If a receiver
/// took all messages of one sender first, each copy would wait for the one before it.
std::vector<int> TypicalProgram::TypicalRank::ranks_of_senders(std::int32_t number) const {
  const Channel& channel = plan_.base_->messages.channels()[static_cast<std::size_t>(number)];
  const Planned& planned = plan_.planned_[static_cast<std::size_t>(number)];
  std::vector<std::pair<int, int>> messages;  // n, copy
  const auto add_if_here = [&](int n, int copy) {
    if (n < int{planned.times[static_cast<std::size_t>(copy)]} && plan_.other_copy(number, copy, n) == copy_)
      messages.emplace_back(n, copy);
  };
  const std::vector<int> near = copies_of_near_senders(planned, number);
  for (const int copy : near)
    for (int n = 0; n < int{planned.times[static_cast<std::size_t>(copy)]}; ++n)
      add_if_here(n, copy);
  const int copies = plan_.lifted_->copies();
  if (plan_.is_spread(number))
    for (int copy = 0; copy < copies; ++copy) {
      if (std::ranges::find(near, copy) != near.end()) continue;
      for (int n = (copy_ - copy + copies) % copies; n < int{planned.most_times}; n += copies)
        add_if_here(n, copy);
    }
  std::ranges::sort(messages);
  std::vector<int> ranks;
  for (const auto& message : messages)
    ranks.push_back(*plan_.lifted_->rank_of(channel.from, message.second));
  return ranks;
}

std::vector<int> TypicalProgram::TypicalRank::copies_of_near_senders(const Planned& planned,
                                                                     std::int32_t channel) const {
  std::vector<int> copies{copy_};
  const auto add_before = [&](std::array<int, 3> steps, unsigned closed) {
    for (int& step : steps)
      step = -step;
    const std::optional<int> copy = plan_.lifted_->moved(copy_, steps, closed);
    if (copy && std::ranges::find(copies, *copy) == copies.end()) copies.push_back(*copy);
  };
  const unsigned ends = planned.relation.passes_end & plan_.joined_of(channel);
  add_before(planned.relation.steps_in(ends), ends);
  for (const std::array<int, 3>& steps : plan_.more_steps(channel))
    add_before(steps, 0);
  return copies;
}

void TypicalProgram::TypicalRank::add_collectives(Collective collective,
                                                  const std::vector<std::int64_t>& table, std::int32_t before,
                                                  Requests& requests) {
  const std::int32_t number = collective.communicator;
  const PlannedCommunicator& planned = plan_.planned_communicators_.at(number);
  const UsedCommunicator& used = plan_.base_->messages.communicators().at(number);
  const PlannedCall& call = planned.calls[static_cast<std::size_t>(before)];
  if (call.times == 0) return;
  collective.communicator = communicator(number);
  if (has_root(collective.kind))
    collective.root = planned.roots.at({plan_.lifted_->without(copy_, planned.joined), collective.root});
  collective.first_size = collective.size_count = 0;
  std::vector<std::int64_t> sizes;
  if (is_of_neighbours(collective.kind)) {
    sizes = table_of_neighbours(table, used, number, call.size_ratio);
  } else if (has_table_at_root(collective.kind)) {
    const std::vector<std::int64_t>& at_root = used.calls[static_cast<std::size_t>(before)].table_at_root;
    if (member(collective.communicator, collective.root) == rank_ && !at_root.empty())
      sizes = table_of(at_root, used, collective.communicator, call.table_ratio, Tables::one);
  } else if (!table.empty()) {
    sizes = table_of(table, used, collective.communicator, call.table_ratio,
                     has_two_tables(collective.kind) ? Tables::two : Tables::one);
  }
  const bool is_sum = has_two_tables(collective.kind) && !sizes.empty();
  collective.size_bytes =
      is_sum ? std::accumulate(sizes.begin(), sizes.begin() + std::ssize(sizes) / 2, std::int64_t{0})
             : scaled_size(collective.size_bytes, call.size_ratio,
                           collective.size_bytes % std::max(1, collective.element_bytes) == 0
                               ? std::max(1, collective.element_bytes)
                               : 1);
  for (std::uint32_t n = 0; n < call.times; ++n) {
    const std::int64_t request = sizes.empty() ? calls_.add(collective) : calls_.add(collective, sizes);
    if (request > 0) requests.push_back(request);
  }
}

int TypicalProgram::TypicalRank::members_of(std::int32_t communicator) const {
  return communicator == 0
             ? plan_.lifted_->ranks()
             : static_cast<int>(
                   plan_.communicators_[static_cast<std::size_t>(communicator) - 1].ranks.size());
}

int TypicalProgram::TypicalRank::member(std::int32_t communicator, int place) const {
  return communicator == 0 ? place
                           : plan_.communicators_[static_cast<std::size_t>(communicator) - 1]
                                 .ranks[static_cast<std::size_t>(place)];
}

std::optional<std::int32_t> TypicalProgram::TypicalRank::position_of(int rank,
                                                                     std::int32_t communicator) const {
  if (communicator == 0) return rank;
  const auto& ranks = plan_.communicators_[static_cast<std::size_t>(communicator) - 1].ranks;
  const auto at = std::ranges::find(ranks, rank);
  if (at == ranks.end()) return std::nullopt;
  return static_cast<std::int32_t>(at - ranks.begin());
}

std::vector<std::int64_t> TypicalProgram::TypicalRank::table_of(const std::vector<std::int64_t>& table,
                                                                const UsedCommunicator& used,
                                                                std::int32_t communicator, double ratio,
                                                                Tables tables) const {
  std::map<int, std::size_t> place_of;
  for (std::size_t m = 0; m < used.members.size(); ++m)
    place_of[used.members[m]] = m;
  std::vector<std::int64_t> sizes;
  for (std::size_t half = 0; half < (tables == Tables::two ? 2U : 1U); ++half)
    for (int m = 0; m < members_of(communicator); ++m) {
      const std::size_t at = place_of.at(plan_.lifted_->recorded_of(member(communicator, m)));
      sizes.push_back(scaled_size(table[half * used.members.size() + at], ratio, 1));
    }
  return sizes;
}

/// Pairs of a rank's place in the communicator and bytes, of those that it sends to, and of those that it
/// receives from; the numbers of both come first.
std::vector<std::int64_t> TypicalProgram::TypicalRank::table_of_neighbours(
    const std::vector<std::int64_t>& table, const UsedCommunicator& used, std::int32_t recorded,
    double ratio) const {
  constexpr std::size_t first_pair = 2;
  std::vector<std::int64_t> sizes{0, 0};
  for (std::size_t at = first_pair; at + 1 < table.size(); at += 2)
    for (const int other : neighbours(used.members[static_cast<std::size_t>(table[at])], recorded)) {
      const auto place = position_of(other, communicator(recorded));
      if (!place) continue;
      const bool is_sent = at < first_pair + 2 * static_cast<std::size_t>(table[0]);
      ++sizes[is_sent ? 0 : 1];
      sizes.push_back(*place);
      sizes.push_back(scaled_size(table[at + 1], ratio, 1));
    }
  return sizes;
}

void TypicalProgram::TypicalRank::complete(const Completion& completion) {
  Requests requests;
  std::vector<Requests> left;
  for (std::size_t at = 0; at < open_.size(); ++at) {
    const auto place = static_cast<std::int64_t>(at);
    const bool is_completed = completion.is_contiguous
                                  ? place >= completion.first && place < completion.first + completion.count
                                  : std::ranges::binary_search(completion.positions, place);
    if (is_completed)
      requests.insert(requests.end(), open_[at].begin(), open_[at].end());
    else
      left.push_back(std::move(open_[at]));
  }
  open_ = std::move(left);
  if (!requests.empty()) calls_.complete(std::move(requests));
}

formats::RankCalls TypicalProgram::make(int rank) const {
  return TypicalRank(*this, rank).calls();
}

}  // namespace finegrain::scaling
