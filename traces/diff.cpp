// SPDX-License-Identifier: MIT
#include "traces/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace finegrain {
namespace {

/// Collects what one pair of iterations after the other differs in.
class Comparison {
 public:
  Comparison(const Programs& first, const Programs& second) : first_(first), second_(second) {}

  TraceDiff result;

  /// @param count  iterations in a row that have these bodies
  void compare(const Body& first, const Body& second, std::int64_t count) {
    if (first == second && same_communicators(first)) {
      result.iterations += count;
      result.messages += count * count_posts(first.operations);
      *at_.iteration += count;
      return;
    }
    for (; count > 0; --count, ++*at_.iteration)
      compare(first, second);
  }

  void begin_rank(int rank) {
    at_.rank = rank;
    ++result.ranks;
  }
  void begin_iterations() { at_.iteration = 0; }
  void end_rank() { at_.iteration.reset(); }

  void only_in(bool first, int rank) {
    at_.rank = rank;
    one_sided(first, "rank");
  }
  void iterations_only_in(bool first, std::int64_t count) {
    for (; count > 0; --count, ++*at_.iteration)
      one_sided(first, "iteration");
  }

 private:
  void compare(const Body& first, const Body& second) {
    ++result.iterations;
    const std::size_t both = std::min(first.regions.size(), second.regions.size());
    for (std::size_t r = 0; r < both; ++r) {
      at_.region = static_cast<int>(r);
      compare("region", first.regions[r].name.text(), second.regions[r].name.text());
      compare(first.operations_of(first.regions[r]), second.operations_of(second.regions[r]));
    }
    for (std::size_t r = both; r < std::max(first.regions.size(), second.regions.size()); ++r) {
      at_.region = static_cast<int>(r);
      const bool in_first = r < first.regions.size();
      one_sided(in_first, std::string((in_first ? first : second).regions[r].name.text()));
    }
    at_.region.reset();
  }

  void compare(std::span<const Operation> first, std::span<const Operation> second) {
    const std::size_t both = std::min(first.size(), second.size());
    for (std::size_t o = 0; o < both; ++o) {
      at_.position = static_cast<int>(o);
      if (first[o].index() != second[o].index()) {
        compare("kind", describe(first[o]), describe(second[o]));
      } else {
        std::visit([&](const auto& of_first) { compare_alike(of_first, second[o]); }, first[o]);
      }
    }
    for (std::size_t o = both; o < std::max(first.size(), second.size()); ++o) {
      at_.position = static_cast<int>(o);
      const bool in_first = o < first.size();
      one_sided(in_first, describe(in_first ? first[o] : second[o]));
    }
    at_.position.reset();
  }

  void compare_alike(const Work& first, const Operation& other) {
    const auto& second = std::get<Work>(other);
    compare("memory bytes", first.memory_bytes, second.memory_bytes);
    compare("scattered stores", first.scattered_stores, second.scattered_stores);
    compare("copied bytes", first.copied_bytes, second.copied_bytes);
    compare("calls", first.calls, second.calls);
    compare("steps", first.steps, second.steps);
    compare("shared references", first.shared_references, second.shared_references);
    compare("affinity tests", first.affinity_tests, second.affinity_tests);
    compare("known by its time only", first.is_timed, second.is_timed);
  }
  void compare_alike(const Post& first, const Operation& other) {
    const auto& second = std::get<Post>(other);
    ++result.messages;
    compare("kind", to_string(first.kind), to_string(second.kind));
    compare("peer", first.peer, second.peer);
    compare("bytes", first.size_bytes, second.size_bytes);
    compare("repeat", first.repeat, second.repeat);
    compare("tag", first.tag, second.tag);
    compare_communicators(first.communicator, second.communicator);
    compare("blocking", first.blocking, second.blocking);
    compare("private memory", first.private_memory, second.private_memory);
    compare("synchronous", first.is_synchronous, second.is_synchronous);
    compare("buffered", first.is_buffered, second.is_buffered);
  }
  void compare_alike(const Complete& first, const Operation& other) {
    compare("completes", describe(Operation(first)), describe(other));
  }
  void compare_alike(const Collective& first, const Operation& other) {
    const auto& second = std::get<Collective>(other);
    compare("kind", to_string(first.kind), to_string(second.kind));
    compare("blocking", first.blocking, second.blocking);
    compare("posted", first.posted, second.posted);
    compare_communicators(first.communicator, second.communicator);
    compare("root", first.root, second.root);
    compare("bytes", first.size_bytes, second.size_bytes);
  }
  void compare_alike(const Lock& first, const Operation& other) {
    const auto& second = std::get<Lock>(other);
    compare("kind", describe(Operation(first)), describe(other));
    compare("peer", first.peer, second.peer);
    compare("exclusive", first.exclusive, second.exclusive);
  }

  /// Whether both have the same ranks in the same order: their numbers are each trace's own, and a copy of
  /// the communicator of all ranks is as good as this.
  bool is_same(std::int32_t first, std::int32_t second) {
    if (first == 0 && second == 0) return true;
    const auto [known, is_new] = known_.try_emplace({first, second}, false);
    if (is_new) known->second = ranks_of(first_, first) == ranks_of(second_, second);
    return known->second;
  }

  static std::vector<std::int32_t> ranks_of(const Programs& programs, std::int32_t communicator) {
    if (communicator != 0) {
      const std::span<const std::int32_t> ranks = programs.communicator(communicator);
      return {ranks.begin(), ranks.end()};
    }
    std::vector<std::int32_t> all(static_cast<std::size_t>(programs.ranks()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  /// @pre both bodies are this one
  bool same_communicators(const Body& body) {
    return std::ranges::all_of(body.operations, [&](const Operation& operation) {
      const auto* post = std::get_if<Post>(&operation);
      const auto* collective = std::get_if<Collective>(&operation);
      const std::int32_t number = post != nullptr         ? post->communicator
                                  : collective != nullptr ? collective->communicator
                                                          : 0;
      return is_same(number, number);
    });
  }

  void compare_communicators(std::int32_t first, std::int32_t second) {
    if (is_same(first, second)) return;
    if (first != second) return compare("communicator", first, second);
    note("communicator", [&] {
      return std::pair(fmt::format("{}", fmt::join(ranks_of(first_, first), " ")),
                       fmt::format("{}", fmt::join(ranks_of(second_, second), " ")));
    });
  }

  template <typename Value>
  void compare(std::string_view aspect, const Value& first, const Value& second) {
    if (first != second)
      note(aspect, [&] { return std::pair(fmt::format("{}", first), fmt::format("{}", second)); });
  }

  void one_sided(bool in_first, const std::string& what) {
    note(in_first ? "missing" : "extra",
         [&] { return in_first ? std::pair(what, std::string()) : std::pair(std::string(), what); });
  }

  template <typename Texts>
  void note(std::string_view aspect, Texts&& texts) {
    if (++result.difference_count > static_cast<std::int64_t>(differences_listed)) return;
    Difference& difference = result.differences.emplace_back(at_);
    difference.aspect = aspect;
    std::tie(difference.first, difference.second) = texts();
  }

  const Programs& first_;
  const Programs& second_;
  std::map<std::pair<std::int32_t, std::int32_t>, bool> known_;  ///< communicators that have the same ranks
  Difference at_;                                                ///< where we are
};

/// What is left of a program: iterations that are alike, and the loops after them.
class Rest {
 public:
  explicit Rest(std::unique_ptr<ProgramCursor> cursor) : cursor_(std::move(cursor)) { skip(0); }
  bool empty() const { return body == nullptr; }
  /// @pre count <= left
  void skip(std::int64_t count) {
    left -= count;
    while (left == 0) {
      const Loop* loop = cursor_->next();
      body = loop == nullptr ? nullptr : loop->body.get();
      if (body == nullptr) return;
      left = loop->count;
    }
  }

  const Body* body = nullptr;
  std::int64_t left = 0;

 private:
  std::unique_ptr<ProgramCursor> cursor_;
};

}  // namespace

TraceDiff diff(const Programs& first, const Programs& second, const OnRank& on_rank) {
  Comparison comparison(first, second);
  const int both = std::min(first.ranks(), second.ranks());
  for (int rank = 0; rank < both; ++rank) {
    comparison.begin_rank(rank);
    comparison.begin_iterations();
    Rest one(first.rank(rank));
    Rest other(second.rank(rank));
    while (!one.empty() && !other.empty()) {
      const std::int64_t count = std::min(one.left, other.left);
      comparison.compare(*one.body, *other.body, count);
      one.skip(count);
      other.skip(count);
    }
    for (Rest* rest : {&one, &other}) {
      for (; !rest->empty(); rest->skip(rest->left))
        comparison.iterations_only_in(rest == &one, rest->left);
    }
    comparison.end_rank();
    if (on_rank) on_rank(rank + 1, both);
  }
  for (int rank = both; rank < std::max(first.ranks(), second.ranks()); ++rank)
    comparison.only_in(rank < first.ranks(), rank);
  return std::move(comparison.result);
}

}  // namespace finegrain
