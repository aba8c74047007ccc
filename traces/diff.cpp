// SPDX-License-Identifier: MIT
#include "traces/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace finegrain {
namespace {

/// Collects what one pair of iterations after the other differs in.
class Comparison {
 public:
  TraceDiff result;

  void compare(const Iteration& first, const Iteration& second) {
    ++result.iterations;
    const std::size_t phases = std::min(first.phases.size(), second.phases.size());
    if (first == second) {
      result.messages += static_cast<std::int64_t>(first.messages.size());
      return;
    }
    for (std::size_t p = 0; p < phases; ++p) {
      at_.phase = static_cast<int>(p);
      compare(Aspect::phase_kind, to_string(first.phases[p].kind), to_string(second.phases[p].kind));
      compare(Aspect::memory_bytes, first.phases[p].memory_bytes, second.phases[p].memory_bytes);
      compare(first.messages_of(first.phases[p]), second.messages_of(second.phases[p]));
    }
    for (std::size_t p = phases; p < std::max(first.phases.size(), second.phases.size()); ++p) {
      at_.phase = static_cast<int>(p);
      const bool in_first = p < first.phases.size();
      one_sided(in_first, std::string(to_string((in_first ? first : second).phases[p].kind)));
    }
    at_.phase.reset();
  }

  void begin_rank(int rank) {
    at_.rank = rank;
    ++result.ranks;
  }
  void begin_iteration(std::int64_t iteration) { at_.iteration = iteration; }
  void end_rank() { at_.iteration.reset(); }

  void only_in(bool first, int rank) {
    at_.rank = rank;
    one_sided(first, "rank");
  }
  void iteration_only_in(bool first) { one_sided(first, "iteration"); }

 private:
  void compare(std::span<const Message> first, std::span<const Message> second) {
    const std::size_t both = std::min(first.size(), second.size());
    for (std::size_t m = 0; m < both; ++m) {
      at_.position = static_cast<int>(m);
      compare(Aspect::kind, to_string(first[m].kind), to_string(second[m].kind));
      compare(Aspect::peer, first[m].peer, second[m].peer);
      compare(Aspect::size_bytes, first[m].size_bytes, second[m].size_bytes);
      compare(Aspect::repeat, first[m].repeat, second[m].repeat);
    }
    result.messages += static_cast<std::int64_t>(both);
    for (std::size_t m = both; m < std::max(first.size(), second.size()); ++m) {
      at_.position = static_cast<int>(m);
      const bool in_first = m < first.size();
      const Message& message = in_first ? first[m] : second[m];
      one_sided(in_first,
                fmt::format("{} {} {} B", to_string(message.kind), message.peer, message.size_bytes));
    }
    at_.position.reset();
  }

  template <typename Value>
  void compare(Aspect aspect, const Value& first, const Value& second) {
    if (first != second)
      note(aspect, [&] { return std::pair(fmt::format("{}", first), fmt::format("{}", second)); });
  }

  void one_sided(bool in_first, const std::string& what) {
    note(in_first ? Aspect::missing : Aspect::extra,
         [&] { return in_first ? std::pair(what, std::string()) : std::pair(std::string(), what); });
  }

  template <typename Texts>
  void note(Aspect aspect, Texts&& texts) {
    if (++result.difference_count > static_cast<std::int64_t>(differences_listed)) return;
    Difference& difference = result.differences.emplace_back(at_);
    difference.aspect = aspect;
    std::tie(difference.first, difference.second) = texts();
  }

  Difference at_;  ///< where we are
};

/// The next iteration of the second, none after the last. Valid until the next call.
using NextIteration = std::function<const Iteration*()>;

TraceDiff diff(const Trace& first, int second_ranks, const std::function<NextIteration(int)>& second_rank,
               const OnRank& on_rank) {
  Comparison comparison;
  const int first_ranks = first.manifest().run.ranks;
  const int both = std::min(first_ranks, second_ranks);
  for (int rank = 0; rank < both; ++rank) {
    comparison.begin_rank(rank);
    Trace::RankReader reader = first.rank(rank);
    const NextIteration next_of_second = second_rank(rank);
    for (std::int64_t i = 0;; ++i) {
      const std::optional<RecordedIteration> recorded = reader.next();
      const Iteration* other = next_of_second();
      if (!recorded && other == nullptr) break;
      comparison.begin_iteration(i);
      if (recorded && other != nullptr) {
        comparison.compare(recorded->iteration, *other);
      } else {
        comparison.iteration_only_in(recorded.has_value());
      }
    }
    comparison.end_rank();
    if (on_rank) on_rank(rank + 1, both);
  }
  for (int rank = both; rank < std::max(first_ranks, second_ranks); ++rank)
    comparison.only_in(rank < first_ranks, rank);
  return std::move(comparison.result);
}

}  // namespace

TraceDiff diff(const Trace& first, const Trace& second, const OnRank& on_rank) {
  const auto second_rank = [&](int rank) -> NextIteration {
    // std::function copies what it holds, a reader does not copy.
    const auto reader = std::make_shared<Trace::RankReader>(second.rank(rank));
    const auto current = std::make_shared<std::optional<RecordedIteration>>();
    return [reader, current]() -> const Iteration* {
      *current = reader->next();
      return *current ? &(*current)->iteration : nullptr;
    };
  };
  return diff(first, second.manifest().run.ranks, second_rank, on_rank);
}

TraceDiff diff(const Trace& first, const Schedule& second, const OnRank& on_rank) {
  const auto second_rank = [&](int rank) -> NextIteration {
    return [iteration = &second.ranks[static_cast<std::size_t>(rank)],
            left = second.run.iterations]() mutable -> const Iteration* {
      return left-- > 0 ? iteration : nullptr;
    };
  };
  return diff(first, static_cast<int>(second.ranks.size()), second_rank, on_rank);
}

std::string_view to_string(Aspect aspect) {
  switch (aspect) {
    case Aspect::kind:
      return "kind";
    case Aspect::peer:
      return "peer";
    case Aspect::size_bytes:
      return "bytes";
    case Aspect::repeat:
      return "repeat";
    case Aspect::phase_kind:
      return "phase kind";
    case Aspect::memory_bytes:
      return "memory bytes";
    case Aspect::missing:
      return "missing";
    case Aspect::extra:
      return "extra";
  }
  return "unknown";
}

}  // namespace finegrain
