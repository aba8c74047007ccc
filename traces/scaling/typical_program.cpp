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

/// What each recording has of each kind. Shape of each [recordings]
std::map<TypicalProgram::Kind, std::vector<Recorded>> TypicalProgram::recorded_of(
    const std::vector<ProcessGrid>& grids, Quantity quantity) const {
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
      const double mean_size = sum.messages > 0 ? sum.bytes / sum.messages : 0;
      recorded[kind].push_back({&grids[r], quantity == Quantity::messages ? sum.messages : mean_size});
    }
  return recorded;
}

/// The grid on which the laws of messages and sizes fit best.
void TypicalProgram::choose_grid(int ranks) {
  const auto base = static_cast<std::size_t>(base_ - recordings_.data());
  std::vector<double> messages_of;  // shape [recordings]
  for (const MatchedRecording& one : recordings_)
    messages_of.push_back(totals_of(one.messages).messages);
  const ProgramTotals all = totals_of(base_->messages);
  double least = std::numeric_limits<double>::max();
  for (const GridShape& shape : grid_shapes) {
    std::vector<ProcessGrid> grids;
    for (const MatchedRecording& one : recordings_)
      grids.emplace_back(one.messages.ranks(), shape);
    const ProcessGrid wanted(ranks, shape);
    const auto messages = recorded_of(grids, Quantity::messages);
    const auto sizes = recorded_of(grids, Quantity::mean_size);
    constexpr double much = 0.1;
    constexpr double doubt_of_dimension = 0.04;
    double off = doubt_of_dimension * shape.dimensions;
    for (const auto& [kind, recorded] : messages) {
      const double count = recorded[base].value;
      // A kind that the base does not have is one of another grid.
      for (std::size_t r = 0; r < recorded.size() && count <= 0; ++r)
        off += much * recorded[r].value / std::max(1., messages_of[r]);
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
  const unsigned joined = joined_of(number);
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
  if (n > 0 && is_spread(number)) {
    const int next = (copy + n) % lifted_->copies();
    if (lifted_->rank_of(channel.to, next)) return next;
  }
  constexpr int most_steps = 7;
  if (n > 0 && n <= most_steps) {
    const std::vector<std::array<int, 3>> steps = more_steps(number);
    if (static_cast<std::size_t>(n) <= steps.size()) {
      const std::optional<int> next = lifted_->moved(copy, steps[static_cast<std::size_t>(n) - 1], 0);
      if (next && lifted_->rank_of(channel.to, *next)) return next;
    }
  }
  const unsigned ends = relation.passes_end & joined_of(number);
  return lifted_->moved(copy, relation.steps_in(ends), ends);
}

bool TypicalProgram::exists(std::int32_t number, int copy) const {
  const Channel& channel = base_->messages.channels()[static_cast<std::size_t>(number)];
  if (is_hub_channel(channel)) {
    if (is_hub(channel.from) && is_hub(channel.to) && copy > 0) return false;
    return lifted_->rank_of(channel.from, is_hub(channel.from) ? 0 : copy) &&
           lifted_->rank_of(channel.to, is_hub(channel.to) ? 0 : copy);
  }
  if (!lifted_->rank_of(channel.from, copy)) return false;
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
  const auto messages = recorded_of(grids_, Quantity::messages);
  const auto sizes = recorded_of(grids_, Quantity::mean_size);
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
  constexpr unsigned all = all_dimensions;
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
      plan_roots(used, copy, own, planned.roots);
      totals_.collectives += calls * static_cast<double>(own.size());
      totals_.collective_bytes += bytes * static_cast<double>(own.size());
      if (number == 0) continue;
      communicators_.push_back({std::move(own)});
      planned.numbers[copy] = static_cast<std::int32_t>(communicators_.size());
    }
  }
}

/// Where a root is cut off, the first rank of its communicator takes its place.
void TypicalProgram::plan_roots(const UsedCommunicator& used, int copy,
                                const std::vector<std::int32_t>& ranks,
                                std::map<std::pair<int, std::int32_t>, std::int32_t>& roots) const {
  for (const CommonCall& call : used.calls) {
    if (!has_root(call.kind)) continue;
    const auto [known, is_new] = roots.try_emplace({copy, call.root}, 0);
    const std::optional<int> rank =
        is_new ? lifted_->rank_of(used.members[static_cast<std::size_t>(call.root)], copy) : std::nullopt;
    if (rank) known->second = static_cast<std::int32_t>(std::ranges::find(ranks, *rank) - ranks.begin());
  }
}

/// @param quantity  what is added up of all calls from a place, and divided by the calls or by the ranks
FittedLaw TypicalProgram::law_of_calls(int site, CollectiveKind kind, double (*quantity)(const CommonCall&),
                                       Per per, std::span<const Law> laws) const {
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
    const double divisor = per == Per::call ? count : static_cast<double>(recordings_[r].messages.ranks());
    recorded.push_back({&grids_[r], divisor > 0 ? sum / divisor : 0});
  }
  return fitted_law(laws, recorded, *base_grid_, lifted_->wanted());
}

void TypicalProgram::plan_calls(const UsedCommunicator& used, PlannedCommunicator& planned) const {
  struct RatiosAtPlace {
    double calls_ratio;
    double size_ratio;
    double table_ratio;
    double done = 0;
  };
  std::map<std::pair<int, CollectiveKind>, RatiosAtPlace> places;
  // A table has one size for each rank, so it has as many more as there are copies.
  double more_ranks = 1;
  for (std::size_t d = 0; d < 3; ++d)
    if ((planned.joined >> d & 1U) != 0) more_ranks *= lifted_->along(d);
  if (planned.joined == all_dimensions)
    more_ranks = static_cast<double>(lifted_->ranks()) / base_->messages.ranks();
  const std::vector<Law> laws = laws_of_calls();
  const std::vector<Law> size_laws = laws_of_sizes(0);
  for (const CommonCall& call : used.calls) {
    const auto [known, is_new] = places.try_emplace({call.site, call.kind});
    RatiosAtPlace& place = known->second;
    if (is_new) {
      const auto ratio = [&](double (*quantity)(const CommonCall&), Per per, const std::vector<Law>& all) {
        return law_of_calls(call.site, call.kind, quantity, per, all).ratio;
      };
      place.calls_ratio = ratio([](const CommonCall&) { return 1.; }, Per::rank, laws);
      place.size_ratio = ratio([](const CommonCall& one) { return one.bytes; }, Per::call, size_laws);
      place.table_ratio =
          ratio([](const CommonCall& one) { return one.table_bytes; }, Per::call, size_laws) / more_ranks;
    }
    const double before = std::floor(place.done * place.calls_ratio + 0.5);
    ++place.done;
    const double after = std::floor(place.done * place.calls_ratio + 0.5);
    planned.calls.push_back(
        {static_cast<std::uint32_t>(after - before), place.size_ratio, place.table_ratio});
  }
}

}  // namespace finegrain::scaling
