// SPDX-License-Identifier: MIT
#include "traces/verify.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace finegrain {
namespace {

constexpr std::size_t mismatches_listed = 1000;

/// Totals of one direction between two ranks, of one communicator and tag. Unsigned: the sizes come from a
/// file, so their sums wrap.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  void add(const Post& post) {
    messages += static_cast<std::uint64_t>(post.repeat);
    bytes += static_cast<std::uint64_t>(post.repeat) * static_cast<std::uint64_t>(post.size_bytes);
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

struct PairTraffic {
  Traffic sent;
  Traffic received;
};

/// By sender, receiver, communicator and tag.
using Pairs = std::map<std::tuple<int, int, std::int32_t, std::int32_t>, PairTraffic>;

/// Totals that agree need no place: programs whose tags count on make ever new ones.
void add(Pairs& pairs, const Pairs::key_type& pair, Traffic PairTraffic::*side, const Post& post) {
  const auto traffic = pairs.try_emplace(pair).first;
  (traffic->second.*side).add(post);
  if (traffic->second.sent == traffic->second.received) pairs.erase(traffic);
}

RankCheck check(const Trace& trace, int rank, Pairs& pairs) {
  RankCheck result;
  std::optional<Trace::RankReader> reader;
  try {
    reader.emplace(trace.rank(rank));
  } catch (const MissingFile& error) {
    return {FileState::missing, 0, 0, error.what()};
  } catch (const InputError& error) {
    return {FileState::damaged, 0, 0, error.what()};
  }
  try {
    while (const auto recorded = reader->next()) {
      ++result.iterations;
      result.messages += static_cast<std::int64_t>(recorded->posts.size());
      for_each_post(recorded->body.operations, [&](const Post& post) {
        if (post.kind == TransferKind::send)
          add(pairs, {rank, post.peer, post.communicator, post.tag}, &PairTraffic::sent, post);
        if (post.kind == TransferKind::receive)
          add(pairs, {post.peer, rank, post.communicator, post.tag}, &PairTraffic::received, post);
      });
    }
  } catch (const UnfinishedFile& error) {
    result.state = FileState::unfinished;
    result.problem = error.what();
  } catch (const InputError& error) {
    result.state = FileState::damaged;
    result.problem = error.what();
  }
  return result;
}

}  // namespace

bool Verification::ok() const {
  return manifest_complete && pairs_checked && mismatch_count == 0 && program.ok() &&
         iterations_of_all == iterations_expected;
}

bool Verification::is_damaged() const {
  return std::ranges::any_of(ranks, [](const RankCheck& rank) {
    return rank.state == FileState::damaged || rank.state == FileState::missing;
  });
}

Verification verify(const Trace& trace, const OnRank& on_rank) {
  const Manifest& manifest = trace.manifest();
  Verification result;
  result.manifest_complete = manifest.complete;
  result.iterations_expected = manifest.run.iterations;
  Pairs pairs;
  for (int rank = 0; rank < manifest.run.ranks; ++rank) {
    result.ranks.push_back(check(trace, rank, pairs));
    if (on_rank) on_rank(rank + 1, (trace.knows_iterations() ? 1 : 2) * manifest.run.ranks);
  }
  const auto [fewest, most] =
      std::minmax_element(result.ranks.begin(), result.ranks.end(),
                          [](const auto& a, const auto& b) { return a.iterations < b.iterations; });
  result.iterations_of_all = fewest->iterations;
  // Ranks of a program make as many calls as they like, and receives have room for longer messages.
  const bool are_calls = !trace.knows_iterations();
  if (are_calls) result.iterations_expected = result.iterations_of_all;
  result.pairs_checked = (are_calls || fewest->iterations == most->iterations) &&
                         std::all_of(result.ranks.begin(), result.ranks.end(),
                                     [](const auto& r) { return r.state == FileState::whole; });
  if (!result.pairs_checked) return result;
  for (const auto& [pair, traffic] : pairs) {
    if (are_calls ? traffic.sent.messages == traffic.received.messages : traffic.sent == traffic.received)
      continue;
    if (++result.mismatch_count > static_cast<std::int64_t>(mismatches_listed)) continue;
    const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    const auto& [sender, receiver, communicator, tag] = pair;
    result.mismatches.push_back({sender, receiver, communicator, tag, count(traffic.sent.messages),
                                 count(traffic.received.messages), count(traffic.sent.bytes),
                                 count(traffic.received.bytes)});
  }
  if (are_calls) {
    result.program = check_program(trace, [&](int done, int all) {
      if (on_rank) on_rank(all + done, 2 * all);
    });
  }
  return result;
}

std::string_view to_string(FileState state) {
  switch (state) {
    case FileState::whole:
      return "whole";
    case FileState::unfinished:
      return "unfinished";
    case FileState::damaged:
      return "damaged";
    case FileState::missing:
      return "missing";
  }
  return "unknown";
}

}  // namespace finegrain
