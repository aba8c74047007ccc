// SPDX-License-Identifier: MIT
#include "traces/scaling/typical_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

namespace finegrain::scaling {
namespace {

/// In the order in which they are tried: of those that fit as well, the first is taken.
constexpr std::array grid_shapes{GridShape{1, false}, GridShape{2, false}, GridShape{2, true},
                                 GridShape{3, false}, GridShape{3, true}};

/// Whole elements, unless it would be less than one.
std::int64_t scaled_size(std::int64_t bytes, double ratio, std::int64_t element_bytes) {
  const double scaled = static_cast<double>(bytes) * ratio;
  const auto element = static_cast<double>(element_bytes);
  return scaled < element ? std::llround(scaled) : element_bytes * std::llround(scaled / element);
}

bool has_two_tables(CollectiveKind kind) {
  return kind == CollectiveKind::alltoallv || kind == CollectiveKind::alltoallw;
}

bool has_table_at_root(CollectiveKind kind) {
  return kind == CollectiveKind::gatherv || kind == CollectiveKind::scatterv;
}

bool is_of_neighbours(CollectiveKind kind) {
  return kind >= CollectiveKind::neighbor_allgather;
}

}  // namespace

ProgramTotals totals_of(const MatchedMessages& messages) {
  ProgramTotals totals;
  for (const Channel& channel : messages.channels()) {
    totals.messages += static_cast<double>(channel.messages);
    totals.bytes += static_cast<double>(channel.bytes);
  }
  for (const auto& [number, used] : messages.communicators())
    for (const CommonCall& call : used.calls) {
      const auto members = static_cast<double>(used.members.size());
      totals.collectives += members;
      totals.collective_bytes += members * std::max(call.bytes, call.table_bytes);
    }
  return totals;
}

TypicalProgram::TypicalProgram(std::span<const MatchedRecording> recordings, const Sites& sites, int ranks)
    : recordings_(recordings), base_(nullptr), sites_(sites) {
  for (const MatchedRecording& one : recordings) {
    const bool is_nearer = base_ == nullptr || (base_->messages.ranks() > ranks
                                                    ? one.messages.ranks() < base_->messages.ranks()
                                                    : one.messages.ranks() > base_->messages.ranks() &&
                                                          one.messages.ranks() <= ranks);
    if (is_nearer) base_ = &one;
    trends_.add(*one.recording);
  }
  for (const MatchedRecording& one : recordings)
    hubs_.push_back(hubs_of(one.messages));
  choose_grid(ranks);
  plan_communicators();
  plan_channels();
}

/// Ranks that have messages with more than half of the others, and three times as many as the median rank.
std::vector<bool> TypicalProgram::hubs_of(const MatchedMessages& messages) {
  const auto ranks = static_cast<std::size_t>(messages.ranks());
  std::vector<std::set<int>> others(ranks);
  for (const Channel& channel : messages.channels()) {
    others[static_cast<std::size_t>(channel.from)].insert(channel.to);
    others[static_cast<std::size_t>(channel.to)].insert(channel.from);
  }
  std::vector<std::size_t> counts;
  for (const std::set<int>& own : others)
    counts.push_back(own.size());
  std::ranges::sort(counts);
  std::vector<bool> hubs(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    hubs[rank] = 2 * others[rank].size() > ranks && others[rank].size() >= 3 * counts[ranks / 2];
  return hubs;
}

TypicalProgram::Kind TypicalProgram::kind_of(const Channel& channel, const Relation& relation,
                                             const std::vector<bool>& hubs) {
  const bool is_of_hub =
      hubs[static_cast<std::size_t>(channel.from)] || hubs[static_cast<std::size_t>(channel.to)];
  return {channel.site, channel.is_one_sided, is_of_hub ? of_hubs : relation.is_near ? relation.ways : far};
}

/// Dimensions in which messages of a kind go to neighbours; 0: to any ranks.
unsigned TypicalProgram::ways_of(const Kind& kind) {
  const unsigned ways = std::get<2>(kind);
  return ways == far || ways == of_hubs ? 0 : ways;
}

/// By kind, what each recording has of it: messages, or their mean size. Shape of each [recordings]
std::map<TypicalProgram::Kind, std::vector<Recorded>> TypicalProgram::recorded_of(
    const std::vector<ProcessGrid>& grids, bool sizes) const {
  std::map<Kind, std::vector<Sum>> sums;
  for (std::size_t r = 0; r < recordings_.size(); ++r)
    for (const Channel& channel : recordings_[r].messages.channels()) {
      std::vector<Sum>& own =
          sums[kind_of(channel, relation_of(grids[r], channel.from, channel.to), hubs_[r])];
      own.resize(recordings_.size());
      own[r].messages += static_cast<double>(channel.messages);
      own[r].bytes += static_cast<double>(channel.bytes);
    }
  std::map<Kind, std::vector<Recorded>> recorded;
  for (const auto& [kind, of_recordings] : sums)
    for (std::size_t r = 0; r < recordings_.size(); ++r) {
      const Sum& sum = of_recordings[r];
      recorded[kind].push_back({&grids[r], !sizes             ? sum.messages
                                           : sum.messages > 0 ? sum.bytes / sum.messages
                                                              : 0});
    }
  return recorded;
}

/// The grid on which the laws of messages and sizes fit best.
void TypicalProgram::choose_grid(int ranks) {
  const auto base = static_cast<std::size_t>(base_ - recordings_.data());
  const ProgramTotals all = totals_of(base_->messages);
  double least = std::numeric_limits<double>::max();
  for (const GridShape& shape : grid_shapes) {
    std::vector<ProcessGrid> grids;
    for (const MatchedRecording& one : recordings_)
      grids.emplace_back(one.messages.ranks(), shape);
    const ProcessGrid wanted(ranks, shape);
    const auto messages = recorded_of(grids, false);
    const auto sizes = recorded_of(grids, true);
    constexpr double much = 0.1;
    constexpr double doubt_of_dimension = 0.04;
    double off = doubt_of_dimension * shape.dimensions;
    for (const auto& [kind, recorded] : messages) {
      const double count = recorded[base].value;
      // A kind that the base does not have is one of another grid.
      for (std::size_t r = 0; r < recorded.size() && count <= 0; ++r)
        off += much * recorded[r].value / std::max(1., totals_of(recordings_[r].messages).messages);
      if (count <= 0) continue;
      const std::vector<Recorded>& size = sizes.at(kind);
      const unsigned ways = ways_of(kind);
      // Where a grid has such neighbours, and the recording no such messages, it is another one.
      const auto missing = static_cast<double>(std::ranges::count_if(
          recorded, [&](const Recorded& one) { return one.value <= 0 && open_pairs(*one.grid, ways) > 0; }));
      off +=
          count / all.messages *
          (much * missing +
           fitted_law(laws_of_messages(shape.dimensions, ways, false), recorded, grids[base], wanted).spread);
      off += count * size[base].value / std::max(1., all.bytes) *
             fitted_law(laws_of_sizes(ways), size, grids[base], wanted).spread;
    }
    if (off >= least) continue;
    least = off;
    grids_ = grids;
    lifted_.emplace(grids[base], wanted);
  }
  base_grid_ = &grids_[base];
}

std::vector<std::array<int, 3>> TypicalProgram::more_steps(std::int32_t number) const {
  const Channel& channel = base_->messages.channels()[static_cast<std::size_t>(number)];
  const Relation& relation = planned_[static_cast<std::size_t>(number)].relation;
  const unsigned joined = planned_communicators_.at(channel.communicator).joined;
  std::vector<std::array<int, 3>> all;
  if (channel.is_one_sided || !relation.is_near) return all;
  for (unsigned some = 1; some < 8; ++some) {
    if ((some & relation.ways & ~relation.passes_end & joined) != some) continue;
    std::array<int, 3> steps{};
    for (std::size_t d = 0; d < steps.size(); ++d)
      if ((some >> d & 1U) != 0) steps[d] = -relation.step[d];
    all.push_back(steps);
  }
  return all;
}

std::optional<int> TypicalProgram::other_copy(std::int32_t number, int copy, int n) const {
  const Channel& channel = base_->messages.channels()[static_cast<std::size_t>(number)];
  const Relation& relation = planned_[static_cast<std::size_t>(number)].relation;
  const unsigned joined = planned_communicators_.at(channel.communicator).joined;
  if (n > 0 && !relation.is_near && !channel.is_one_sided && joined == 7) {
    const int next = (copy + n) % lifted_->copies();
    if (lifted_->rank_of(channel.to, next)) return next;
  }
  if (n > 0) {
    const std::vector<std::array<int, 3>> steps = more_steps(number);
    if (static_cast<std::size_t>(n) <= steps.size()) {
      const std::optional<int> next = lifted_->moved(copy, steps[static_cast<std::size_t>(n) - 1], 0);
      if (next && lifted_->rank_of(channel.to, *next)) return next;
    }
  }
  std::array<int, 3> steps{};
  const unsigned ends = relation.passes_end & joined;
  for (std::size_t d = 0; d < steps.size(); ++d)
    if ((ends >> d & 1U) != 0) steps[d] = relation.step[d];
  return lifted_->moved(copy, steps, ends);
}

bool TypicalProgram::exists(std::int32_t number, int copy) const {
  const Channel& channel = base_->messages.channels()[static_cast<std::size_t>(number)];
  if (is_hub(channel.from) && is_hub(channel.to) && copy > 0) return false;
  if (!lifted_->rank_of(channel.from, is_hub(channel.from) ? 0 : copy)) return false;
  if (is_hub_channel(channel)) return lifted_->rank_of(channel.to, is_hub(channel.to) ? 0 : copy).has_value();
  const std::optional<int> other = other_copy(number, copy, 0);
  return other && lifted_->rank_of(channel.to, *other);
}

void TypicalProgram::plan_channels() {
  const std::vector<Channel>& channels = base_->messages.channels();
  const auto base = static_cast<std::size_t>(base_ - recordings_.data());
  std::map<Kind, std::vector<std::int32_t>> of_kinds;
  double near = 0;
  double past_ends = 0;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Relation relation = relation_of(*base_grid_, channels[c].from, channels[c].to);
    planned_.push_back({relation});
    const Kind kind = kind_of(channels[c], relation, hubs_[base]);
    of_kinds[kind].push_back(static_cast<std::int32_t>(c));
    if (!relation.is_near) continue;
    near += static_cast<double>(channels[c].messages);
    if (relation.passes_end != 0) past_ends += static_cast<double>(channels[c].messages);
  }
  // Where a side has two ranks, only the other sides tell whether the grid is closed.
  constexpr double some = 0.05;
  const bool is_closed = past_ends > some * near;
  const auto messages = recorded_of(grids_, false);
  const auto sizes = recorded_of(grids_, true);
  for (const auto& [kind, own] : of_kinds) {
    const unsigned ways = ways_of(kind);
    const FittedLaw law = fitted_law(laws_of_messages(base_grid_->dimensions(), ways, is_closed),
                                     messages.at(kind), *base_grid_, lifted_->wanted());
    const FittedLaw size = fitted_law(laws_of_sizes(ways), sizes.at(kind), *base_grid_, lifted_->wanted());
    for (const std::int32_t channel : own)
      planned_[static_cast<std::size_t>(channel)].size_ratio = size.ratio;
    plan_kind(own, messages.at(kind)[base].value * law.ratio);
  }
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const double times = std::accumulate(planned_[c].times.begin(), planned_[c].times.end(), 0.);
    totals_.messages += times * static_cast<double>(channels[c].messages);
    totals_.bytes += times * static_cast<double>(channels[c].bytes) * planned_[c].size_ratio;
  }
}

/// Decides how often each message of some channels is sent, so that there are so many in all: what is owed is
/// carried on from one copy of a channel to the next.
void TypicalProgram::plan_kind(const std::vector<std::int32_t>& channels, double messages) {
  const auto copies = static_cast<std::size_t>(lifted_->copies());
  const auto weight = [&](std::int32_t channel) {
    return static_cast<double>(base_->messages.channels()[static_cast<std::size_t>(channel)].messages);
  };
  const auto leads_beyond = [&](std::int32_t channel, std::size_t copy) {
    const auto at = static_cast<int>(copy);
    return !is_hub_channel(base_->messages.channels()[static_cast<std::size_t>(channel)]) &&
           other_copy(channel, at, 1) != other_copy(channel, at, 0);
  };
  double of_copies = 0;
  double beyond = 0;
  for (const std::int32_t channel : channels) {
    planned_[static_cast<std::size_t>(channel)].times.assign(copies, 0);
    for (std::size_t copy = 0; copy < copies; ++copy) {
      if (!exists(channel, static_cast<int>(copy))) continue;
      of_copies += weight(channel);
      if (leads_beyond(channel, copy)) beyond += weight(channel);
    }
  }
  if (of_copies <= 0) return;
  const double more = std::max(0., messages - of_copies);
  const bool only_beyond = beyond > 0;
  const double share = more > 0 ? more / (only_beyond ? beyond : of_copies) : messages / of_copies;
  constexpr double most_times = 60000;
  double owed = 0;
  for (const std::int32_t channel : channels) {
    Planned& planned = planned_[static_cast<std::size_t>(channel)];
    for (std::size_t copy = 0; copy < copies; ++copy) {
      if (!exists(channel, static_cast<int>(copy))) continue;
      double times = more > 0 ? 1 : 0;
      if (more <= 0 || !only_beyond || leads_beyond(channel, copy)) {
        owed += share * weight(channel);
        const double now = std::clamp(std::floor(owed / weight(channel) + 0.5), 0., most_times);
        owed -= now * weight(channel);
        times += now;
      }
      planned.times[copy] = static_cast<std::uint16_t>(times);
      planned.most_times = std::max(planned.most_times, planned.times[copy]);
    }
  }
}

/// A communicator of all ranks has the copies of all its ranks. One that grows more slowly has those in the
/// dimensions in which its ranks differ, and one that does not grow is a communicator in each copy.
unsigned TypicalProgram::joined_dimensions(std::int32_t number, const UsedCommunicator& used) const {
  constexpr unsigned all = 7;
  const auto members = static_cast<double>(used.members.size());
  if (number == 0 || std::ssize(used.members) == base_->messages.ranks()) return all;
  std::set<int> sites;
  for (const CommonCall& call : used.calls)
    sites.insert(call.site);
  double smaller_ranks = 0;
  double size = 0;
  double count = 0;
  for (const MatchedRecording& one : recordings_) {
    if (one.messages.ranks() >= base_->messages.ranks() || one.messages.ranks() < smaller_ranks) continue;
    for (const auto& other : one.messages.communicators())
      for (const CommonCall& call : other.second.calls) {
        if (!sites.contains(call.site)) continue;
        if (smaller_ranks < one.messages.ranks()) {
          smaller_ranks = one.messages.ranks();
          size = count = 0;
        }
        size += static_cast<double>(other.second.members.size());
        ++count;
      }
  }
  if (count <= 0) return members > 1 ? all : 0;
  const double exponent =
      std::log(members * count / size) / std::log(base_->messages.ranks() / smaller_ranks);
  constexpr double grows = 0.2;
  constexpr double grows_as_ranks = 0.75;
  if (exponent < grows) return 0;
  if (exponent > grows_as_ranks) return all;
  unsigned differ = 0;
  for (const std::int32_t member : used.members)
    differ |= relation_of(*base_grid_, used.members.front(), member).ways;
  return differ;
}

void TypicalProgram::plan_communicators() {
  for (const auto& [number, used] : base_->messages.communicators()) {
    PlannedCommunicator& planned = planned_communicators_[number];
    planned.joined = joined_dimensions(number, used);
    plan_calls(used, planned);
    const bool in_order = std::ranges::is_sorted(used.members);
    std::map<int, std::vector<std::int32_t>> ranks;
    for (int copy = 0; copy < lifted_->copies(); ++copy)
      for (const std::int32_t member : used.members)
        if (const std::optional<int> rank = lifted_->rank_of(member, copy))
          ranks[lifted_->without(copy, planned.joined)].push_back(*rank);
    for (auto& [copy, own] : ranks) {
      if (in_order) std::ranges::sort(own);
      double calls = 0;
      double bytes = 0;
      for (std::size_t c = 0; c < used.calls.size(); ++c) {
        const PlannedCall& call = planned.calls[c];
        calls += call.times;
        const double table = used.calls[c].table_bytes * call.table_ratio * static_cast<double>(own.size()) /
                             static_cast<double>(used.members.size());
        bytes += call.times * std::max(used.calls[c].bytes * call.size_ratio, table);
      }
      totals_.collectives += calls * static_cast<double>(own.size());
      totals_.collective_bytes += bytes * static_cast<double>(own.size());
      if (number == 0) continue;
      communicators_.push_back({std::move(own)});
      planned.numbers[copy] = static_cast<std::int32_t>(communicators_.size());
    }
  }
}

/// @param quantity  what is added up of all calls from a place @param per_call  its mean of the calls; else
/// what each rank of the run has
FittedLaw TypicalProgram::law_of_calls(int site, CollectiveKind kind, double (*quantity)(const CommonCall&),
                                       bool per_call, std::span<const Law> laws) const {
  std::vector<Recorded> recorded;
  for (std::size_t r = 0; r < recordings_.size(); ++r) {
    double sum = 0;
    double count = 0;
    for (const auto& one : recordings_[r].messages.communicators())
      for (const CommonCall& call : one.second.calls) {
        if (call.site != site || call.kind != kind) continue;
        const auto members = static_cast<double>(one.second.members.size());
        sum += quantity(call) * members;
        count += members;
      }
    const double of = per_call ? count : static_cast<double>(recordings_[r].messages.ranks());
    recorded.push_back({&grids_[r], of > 0 ? sum / of : 0});
  }
  return fitted_law(laws, recorded, *base_grid_, lifted_->wanted());
}

void TypicalProgram::plan_calls(const UsedCommunicator& used, PlannedCommunicator& planned) const {
  struct OfPlace {
    double calls_ratio;
    double size_ratio;
    double table_ratio;
    double done = 0;
  };
  std::map<std::pair<int, CollectiveKind>, OfPlace> places;
  // A table has one size for each rank, so it has as many more as there are copies.
  double more_ranks = 1;
  for (std::size_t d = 0; d < 3; ++d)
    if ((planned.joined >> d & 1U) != 0) more_ranks *= lifted_->along(d);
  if (planned.joined == 7) more_ranks = static_cast<double>(lifted_->ranks()) / base_->messages.ranks();
  const std::vector<Law> laws = laws_of_calls();
  const std::vector<Law> size_laws = laws_of_sizes(0);
  for (const CommonCall& call : used.calls) {
    const auto [known, is_new] = places.try_emplace({call.site, call.kind});
    OfPlace& place = known->second;
    if (is_new) {
      const auto ratio = [&](double (*quantity)(const CommonCall&), bool per_call,
                             const std::vector<Law>& all) {
        return law_of_calls(call.site, call.kind, quantity, per_call, all).ratio;
      };
      place.calls_ratio = ratio([](const CommonCall&) { return 1.; }, false, laws);
      place.size_ratio = ratio([](const CommonCall& one) { return one.bytes; }, true, size_laws);
      place.table_ratio =
          ratio([](const CommonCall& one) { return one.table_bytes; }, true, size_laws) / more_ranks;
    }
    const double before = std::floor(place.done * place.calls_ratio + 0.5);
    ++place.done;
    const double after = std::floor(place.done * place.calls_ratio + 0.5);
    planned.calls.push_back(
        {static_cast<std::uint32_t>(after - before), place.size_ratio, place.table_ratio});
  }
}

/// Makes one rank.
class TypicalProgram::Making {
 public:
  Making(const TypicalProgram& plan, int rank)
      : plan_(plan),
        rank_(rank),
        recorded_(plan.lifted_->recorded_of(rank)),
        copy_(plan.lifted_->copy_of(rank)) {}

  formats::RankCalls made() {
    const RecordedRank& own = plan_.base_->recording->ranks[static_cast<std::size_t>(recorded_)];
    const double grows = static_cast<double>(plan_.lifted_->ranks()) / plan_.base_->messages.ranks();
    double now_ns = 0;
    for (std::size_t c = 0; c < own.calls.size(); ++c) {
      const RecordedCall& call = own.calls[c];
      now_ns += call.work_ns * std::pow(grows, plan_.trends_.exponent(between(own, c)));
      calls_.begin(plan_.sites_.written_name(call.site), static_cast<std::int64_t>(now_ns));
      for (std::size_t o = call.first_operation; o < call.first_operation + call.operation_count; ++o)
        make(own.operations[o], o);
    }
    return std::move(calls_);
  }

 private:
  using Requests = std::vector<std::int64_t>;

  void make(const RecordedOperation& made, std::size_t number) {
    if (made.completion) return complete(*made.completion);
    Requests requests;
    if (const auto* post = std::get_if<Post>(&made.operation)) {
      add_posts(*post, plan_.base_->messages.number_of(recorded_, number), requests);
    } else if (const auto* collective = std::get_if<Collective>(&made.operation)) {
      add_collectives(*collective, made.sizes, plan_.base_->messages.number_of(recorded_, number), requests);
    } else if (const auto* lock = std::get_if<Lock>(&made.operation)) {
      Lock own = *lock;
      own.window = communicator(lock->window);
      if (lock->peer >= 0) own.peer = neighbour(lock->peer).value_or(rank_);
      calls_.add(own);
    } else {
      calls_.add(made.operation);
    }
    if (makes_request(made.operation)) open_.push_back(std::move(requests));
  }

  std::int32_t communicator(std::int32_t number) const {
    if (number == 0) return 0;
    const PlannedCommunicator& planned = plan_.planned_communicators_.at(number);
    return planned.numbers.at(plan_.lifted_->without(copy_, planned.joined));
  }

  /// The rank that is to this one as a recorded one is to that of which this is a copy.
  std::optional<int> neighbour(int recorded) const {
    const Relation relation = relation_of(*plan_.base_grid_, recorded_, recorded);
    std::array<int, 3> steps{};
    for (std::size_t d = 0; d < steps.size(); ++d)
      if ((relation.passes_end >> d & 1U) != 0) steps[d] = relation.step[d];
    const std::optional<int> copy = plan_.lifted_->moved(copy_, steps, relation.passes_end);
    return copy ? plan_.lifted_->rank_of(recorded, *copy) : std::nullopt;
  }

  /// The other ranks of a message, in the same order at both ends.
  std::vector<int> other_ranks(std::int32_t number, bool is_sender) const {
    const Channel& channel = plan_.base_->messages.channels()[static_cast<std::size_t>(number)];
    const Planned& planned = plan_.planned_[static_cast<std::size_t>(number)];
    const int other = is_sender ? channel.to : channel.from;
    const LiftedRanks& lifted = *plan_.lifted_;
    std::vector<int> ranks;
    const auto add = [&](int rank, int times) {
      ranks.insert(ranks.end(), static_cast<std::size_t>(times), rank);
    };
    const auto times_of = [&](int copy) { return int{planned.times[static_cast<std::size_t>(copy)]}; };
    if (plan_.is_hub(recorded_)) {
      if (copy_ > 0) return ranks;
      for (int copy = 0; copy < lifted.copies(); ++copy)
        if (times_of(copy) > 0) add(*lifted.rank_of(other, plan_.is_hub(other) ? 0 : copy), times_of(copy));
      return ranks;
    }
    if (plan_.is_hub(other)) {
      add(*lifted.rank_of(other, 0), times_of(copy_));
      return ranks;
    }
    if (is_sender) {
      for (int n = 0; n < times_of(copy_); ++n)
        add(*lifted.rank_of(other, *plan_.other_copy(number, copy_, n)), 1);
      return ranks;
    }
    for (const int copy : copies_of_senders(number, planned))
      for (int n = 0; n < times_of(copy); ++n)
        if (plan_.other_copy(number, copy, n) == copy_) add(*lifted.rank_of(other, copy), 1);
    return ranks;
  }

  /// Those whose messages may go to this copy.
  std::set<int> copies_of_senders(std::int32_t number, const Planned& planned) const {
    const LiftedRanks& lifted = *plan_.lifted_;
    std::set<int> copies;
    const auto add = [&](std::array<int, 3> steps, unsigned closed) {
      for (int& step : steps)
        step = -step;
      if (const std::optional<int> copy = lifted.moved(copy_, steps, closed)) copies.insert(*copy);
    };
    copies.insert(copy_);
    add(planned.relation.step, planned.relation.passes_end);
    std::array<int, 3> past_ends{};
    for (std::size_t d = 0; d < past_ends.size(); ++d)
      if ((planned.relation.passes_end >> d & 1U) != 0) past_ends[d] = planned.relation.step[d];
    add(past_ends, planned.relation.passes_end);
    for (const std::array<int, 3>& steps : plan_.more_steps(number))
      add(steps, 0);
    if (!planned.relation.is_near)
      for (int n = 1; n < std::min<int>(planned.most_times, lifted.copies()); ++n)
        copies.insert(((copy_ - n) % lifted.copies() + lifted.copies()) % lifted.copies());
    return copies;
  }

  void add_posts(Post post, std::int32_t number, Requests& requests) {
    if (number < 0) return;
    const Channel& channel = plan_.base_->messages.channels()[static_cast<std::size_t>(number)];
    const Planned& planned = plan_.planned_[static_cast<std::size_t>(number)];
    post.communicator = communicator(post.communicator);
    post.size_bytes = scaled_size(post.size_bytes, planned.size_ratio, channel.element_bytes);
    for (const int other : other_ranks(number, post.kind != TransferKind::receive)) {
      post.peer = other;
      if (const std::int64_t request = calls_.add(post); request > 0) requests.push_back(request);
    }
  }

  void add_collectives(Collective collective, const std::vector<std::int64_t>& table, std::int32_t before,
                       Requests& requests) {
    const std::int32_t number = collective.communicator;
    const PlannedCommunicator& planned = plan_.planned_communicators_.at(number);
    const UsedCommunicator& used = plan_.base_->messages.communicators().at(number);
    const PlannedCall& call = planned.calls[static_cast<std::size_t>(before)];
    if (call.times == 0) return;
    collective.communicator = communicator(number);
    const std::optional<int> root =
        plan_.lifted_->rank_of(used.members[static_cast<std::size_t>(collective.root)],
                               plan_.lifted_->without(copy_, planned.joined));
    collective.root = root ? position_of(*root, collective.communicator).value_or(0) : 0;
    collective.first_size = collective.size_count = 0;
    std::vector<std::int64_t> sizes;
    if (is_of_neighbours(collective.kind))
      sizes = table_of_neighbours(table, used, collective.communicator, call.size_ratio);
    else if (!table.empty() && !(has_table_at_root(collective.kind) && root && *root != rank_))
      sizes =
          table_of(table, used, collective.communicator, call.table_ratio, has_two_tables(collective.kind));
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

  int members_of(std::int32_t communicator) const {
    return communicator == 0
               ? plan_.lifted_->ranks()
               : static_cast<int>(
                     plan_.communicators_[static_cast<std::size_t>(communicator) - 1].ranks.size());
  }
  int member(std::int32_t communicator, int n) const {
    return communicator == 0 ? n
                             : plan_.communicators_[static_cast<std::size_t>(communicator) - 1]
                                   .ranks[static_cast<std::size_t>(n)];
  }
  std::optional<std::int32_t> position_of(int rank, std::int32_t communicator) const {
    if (communicator == 0) return rank;
    const auto& ranks = plan_.communicators_[static_cast<std::size_t>(communicator) - 1].ranks;
    const auto at = std::ranges::find(ranks, rank);
    if (at == ranks.end()) return std::nullopt;
    return static_cast<std::int32_t>(at - ranks.begin());
  }

  std::vector<std::int64_t> table_of(const std::vector<std::int64_t>& table, const UsedCommunicator& used,
                                     std::int32_t communicator, double ratio, bool twice) const {
    std::map<int, std::size_t> place_of;
    for (std::size_t m = 0; m < used.members.size(); ++m)
      place_of[used.members[m]] = m;
    std::vector<std::int64_t> sizes;
    for (std::size_t half = 0; half < (twice ? 2U : 1U); ++half)
      for (int m = 0; m < members_of(communicator); ++m) {
        const std::size_t at = place_of.at(plan_.lifted_->recorded_of(member(communicator, m)));
        sizes.push_back(scaled_size(table[half * used.members.size() + at], ratio, 1));
      }
    return sizes;
  }

  /// Pairs of a rank's place in the communicator and bytes, of those that it sends to, and of those that it
  /// receives from; the numbers of both come first.
  std::vector<std::int64_t> table_of_neighbours(const std::vector<std::int64_t>& table,
                                                const UsedCommunicator& used, std::int32_t communicator,
                                                double ratio) const {
    constexpr std::size_t first_pair = 2;
    std::vector<std::int64_t> sizes{0, 0};
    for (std::size_t at = first_pair; at + 1 < table.size(); at += 2) {
      const std::optional<int> other = neighbour(used.members[static_cast<std::size_t>(table[at])]);
      const auto place = other ? position_of(*other, communicator) : std::nullopt;
      if (!place) continue;
      const bool is_sent = at < first_pair + 2 * static_cast<std::size_t>(table[0]);
      ++sizes[is_sent ? 0 : 1];
      sizes.push_back(*place);
      sizes.push_back(scaled_size(table[at + 1], ratio, 1));
    }
    return sizes;
  }

  void complete(const Completion& completion) {
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

  const TypicalProgram& plan_;
  int rank_;
  int recorded_;
  int copy_;
  formats::RankCalls calls_;
  std::vector<Requests> open_;  ///< by request of the recorded rank: those that were made for it
};

formats::RankCalls TypicalProgram::make(int rank) const {
  return Making(*this, rank).made();
}

}  // namespace finegrain::scaling
