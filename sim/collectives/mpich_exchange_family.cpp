// SPDX-License-Identifier: MIT
#include <limits>

#include "sim/collectives/layout.hpp"
#include "sim/collectives/script.hpp"

namespace finegrain::collectives {

const Family& mpich_exchange_family();

namespace {

/// Messages with so many ranks at a time; the next ones are begun when all of these are complete. One with
/// sizes for each pair of ranks sends no empty messages.
class ScatteredAlltoall final : public Algorithm {
 public:
  std::string_view name() const override { return "scattered"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::alltoall, CollectiveKind::alltoallv, CollectiveKind::alltoallw};
  }
  std::int64_t rounds(const Call& call, const Choice& choice) const override {
    return (call.ranks + group(choice) - 1) / group(choice);
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const std::int64_t first = number * group(choice);
    const std::int64_t end = std::min<std::int64_t>(first + group(choice), call.ranks);
    std::int64_t requests = 0;
    // MPICH sends itself its own block.
    if (first == 0) script.copy(bytes_from(call, call.rank));
    for (std::int64_t step = std::max<std::int64_t>(first, 1); step < end; ++step) {
      const int from = neighbor(call, step);
      if (!is_sent(call, bytes_from(call, from))) continue;
      script.start_receive(from, bytes_from(call, from));
      ++requests;
    }
    for (std::int64_t step = std::max<std::int64_t>(first, 1); step < end; ++step) {
      const int to = neighbor(call, -step);
      if (!is_sent(call, bytes_to(call, to))) continue;
      script.start_send(to, bytes_to(call, to));
      ++requests;
    }
    script.complete(requests);
  }

 private:
  /// 32 is MPICH's default (MPIR_CVAR_ALLTOALL_THROTTLE).
  static std::int64_t group(const Choice& choice) { return choice.fan > 0 ? choice.fan : 32; }
  static bool is_sent(const Call& call, std::int64_t bytes) {
    return bytes > 0 || call.kind == CollectiveKind::alltoall;
  }
};

/// In step k, a rank exchanges with the one whose number differs in the bits of k. Of other than a power of
/// two of ranks, each sends to the one k further on the ring.
class PairwiseExchange final : public Algorithm {
 public:
  std::string_view name() const override { return "pairwise_exchange"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::alltoall}; }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override { return call.ranks; }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (number == 0) return script.copy(call.size_bytes);
    const auto step = static_cast<int>(number);
    const bool in_pairs = is_power_of_two(call.ranks);
    const int to = in_pairs ? call.rank ^ step : neighbor(call, step);
    const int from = in_pairs ? to : neighbor(call, -step);
    script.exchange(to, call.size_bytes, from, call.size_bytes);
  }
};

/// In step k, each rank sends the one k further on the ring its part of that rank's block.
class PairwiseReduceScatter final : public Algorithm {
 public:
  std::string_view name() const override { return "pairwise"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::reduce_scatter, CollectiveKind::reduce_scatter_block};
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override { return call.ranks; }
  void round(std::int64_t number, const Call& call, const Choice& /*choice*/,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const std::int64_t own = block_bytes(call, call.rank);
    if (number == 0) return script.copy(own);
    const int to = neighbor(call, number);
    script.exchange(to, block_bytes(call, to), neighbor(call, -number), own);
    script.reduce(own);
  }
};

/// A ring whose blocks are cut into segments. A rank sends and receives a segment at a time; where blocks
/// differ, it can be at the end of one while it is in the middle of the other.
class PipelinedRing final : public Algorithm {
 public:
  std::string_view name() const override { return "pipelined_ring"; }
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::allgatherv}; }

  /// As many as any rank can have.
  std::int64_t rounds(const Call& call, const Choice& choice) const override {
    const std::int64_t each = piece_bytes(call, choice);
    std::int64_t sum = 1;
    for (int rank = 0; rank < call.ranks; ++rank)
      sum += pieces(call, each, rank);
    return sum;
  }

  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    if (number == 0) return script.copy(block_bytes(call, call.rank));
    const int right = neighbor(call, 1);
    const int left = neighbor(call, -1);
    const std::int64_t each = piece_bytes(call, choice);
    const std::int64_t sent = piece(call, each, call.rank, number - 1);
    const std::int64_t received = piece(call, each, left, number - 1);
    if (sent > 0 && received > 0) return script.exchange(right, sent, left, received);
    if (sent > 0) script.send(right, sent);
    if (received > 0) script.receive(left, received);
  }

 private:
  static std::int64_t piece_bytes(const Call& call, const Choice& choice) {
    if (choice.segment_bytes <= 0) return std::numeric_limits<std::int64_t>::max();
    const std::int64_t whole_elements = choice.segment_bytes / std::max<std::int64_t>(call.element_bytes, 1);
    const std::int64_t bytes = std::max<std::int64_t>(whole_elements, 1) * call.element_bytes;
    if (call.blocking || call.sizes.empty()) return bytes;
    // Where it does not block, MPICH never cuts the shortest block.
    return std::max(bytes, *std::ranges::min_element(call.sizes));
  }
  /// An empty block takes a round as well.
  static std::int64_t pieces(const Call& call, std::int64_t each, int rank) {
    const std::int64_t bytes = block_bytes(call, rank);
    return bytes > 0 ? (bytes - 1) / each + 1 : 1;
  }
  /// Bytes of one piece of the blocks that begin with one rank's and go backwards on the ring; the last block
  /// but one is the last that is passed on.
  static std::int64_t piece(const Call& call, std::int64_t each, int rank, std::int64_t number) {
    for (int block = 0; block + 1 < call.ranks; ++block) {
      const int owner = (rank - block + call.ranks) % call.ranks;
      const std::int64_t count = pieces(call, each, owner);
      if (number < count) return std::min(each, block_bytes(call, owner) - (number > 0 ? number * each : 0));
      number -= count;
    }
    return 0;
  }
};

/// The root begins all messages and then waits for all. Empty ones are not sent.
class MpichLinear final : public Algorithm {
 public:
  std::string_view name() const override { return "mpich_linear"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::gatherv, CollectiveKind::scatterv};
  }
  std::int64_t rounds(const Call& call, const Choice& /*choice*/) const override {
    return rounds_of(call.ranks) + 1;
  }
  void round(std::int64_t number, const Call& call, const Choice& choice,
             std::vector<Operation>& out) const override {
    Script script(call.rank, out);
    const bool gathers = call.kind == CollectiveKind::gatherv;
    if (call.rank != call.root) {
      if (number > 0 || call.size_bytes == 0) return;
      if (!gathers) return script.receive(call.root, call.size_bytes);
      // From so many ranks on (MPIR_CVAR_GATHERV_INTER_SSEND_MIN_PROCS), messages wait for the root.
      if (call.ranks >= 32) return script.send_synchronously(call.root, call.size_bytes);
      return script.send(call.root, call.size_bytes);
    }
    if (number + 1 == rounds(call, choice)) {
      std::int64_t requests = 0;
      for (int rank = 0; rank < call.ranks; ++rank)
        if (rank != call.root && block_bytes(call, rank) > 0) ++requests;
      return script.complete(requests);
    }
    for_each_item(number, call.ranks, [&](std::int64_t item) {
      const auto rank = static_cast<int>(item);
      const std::int64_t bytes = block_bytes(call, rank);
      if (rank == call.root) return script.copy(bytes);
      if (bytes == 0) return;
      if (gathers) return script.start_receive(rank, bytes);
      script.start_send(rank, bytes);
    });
  }
};

}  // namespace

const Family& mpich_exchange_family() {
  static const ScatteredAlltoall scattered;
  static const PairwiseExchange pairwise_exchange;
  static const PairwiseReduceScatter pairwise;
  static const PipelinedRing pipelined_ring;
  static const MpichLinear linear;
  static const Family family{{&scattered, &pairwise_exchange, &pairwise, &pipelined_ring, &linear}};
  return family;
}

}  // namespace finegrain::collectives
