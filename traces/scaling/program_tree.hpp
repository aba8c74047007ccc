// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "traces/scaling/common_loops.hpp"
#include "traces/scaling/recorded_ranks.hpp"

namespace finegrain::scaling {

/// One step of a loop, on one rank of one recording.
struct LoopStep {
  std::int32_t origin;       ///< index of the rank among those of all recordings
  std::int32_t parent_step;  ///< the step of the loop around it, in which it happened
  std::int32_t number;       ///< from 0 on
};

/// A part of the program that all ranks share: a call at a site, or a loop.
struct ProgramNode {
  int site = -1;                   ///< a call's; -1: a loop
  int parent = -1;                 ///< the loop around it; -1: the whole program
  std::vector<int> children = {};  ///< a loop's, in program order

  /// A loop's steps in all ranks; those of one execution follow each other.
  std::vector<LoopStep> steps = {};
  std::vector<std::int32_t> first = {};  ///< step of each execution, shape [parent's steps]
  std::vector<std::int32_t> count = {};  ///< steps of each execution, 0 if it did not happen; same shape
  bool is_uniform = false;               ///< the steps of each execution are all equal, times aside

  /// Index of the call among its rank's, -1 where it was not made. Shape [parent's steps]
  std::vector<std::int32_t> calls = {};

  bool is_loop() const { return site < 0; }
};

/// Which loops are taken to be in others. A call that a rank makes in some steps only looks like one of a
/// loop around the others:
///
///     A B B A B B    two loops; or one, whose steps have A in every second one
enum class Nesting : std::uint8_t {
  all,
  ends_apart  ///< none that ends with the loop around it
};

/// What the ranks of all recordings have in common: one program, with loops and with calls that a rank makes
/// in some steps only.
///
/// The order of its calls and its loops are found from the sites. Take the ranks of a pipeline of three:
///
///     rank 0:               Send Send          in this order: Recv, Send
///     rank 1:     Recv Send Recv Send          from Send back to Recv: a loop of both
///     rank 2:     Recv      Recv               from Recv back to Recv: the same loop, without the Send
///
/// The sites are put in the order of the source, or where it is not known, in that of every rank's first
/// calls. Wherever a rank goes back from one site to another, there is a loop that holds both. Loops in a
/// loop are those that one rank repeats both. At each level of nesting, loops of several ranks that share
/// calls are one.
class ProgramTree {
 public:
  ProgramTree(const std::vector<Recording>& recordings, const Sites& sites, Nesting nesting);

  /// The whole program is a loop of one step for each rank: node 0.
  const ProgramNode& node(int number) const { return nodes_[static_cast<std::size_t>(number)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  /// Ranks of all recordings.
  int origins() const { return static_cast<int>(origins_.size()); }
  int recording_of(int origin) const { return origins_[static_cast<std::size_t>(origin)].recording; }
  int rank_of(int origin) const { return origins_[static_cast<std::size_t>(origin)].rank; }
  const RecordedRank& recorded(int origin) const {
    return *origins_[static_cast<std::size_t>(origin)].recorded;
  }
  /// @pre the call was made
  const RecordedCall& call_at(const ProgramNode& call, std::int32_t step) const;
  std::span<const RecordedOperation> operations_at(const ProgramNode& call, std::int32_t step) const;

 private:
  struct Origin {
    int recording;
    int rank;
    const RecordedRank* recorded;
  };
  std::vector<int> order_of_sites(const Sites& sites) const;
  std::vector<Ends> find_loops(const std::vector<int>& place, Nesting nesting) const;
  void make_nodes(const std::vector<int>& order, std::vector<Ends> loops);
  void parse();
  void parse(int origin);
  std::int32_t begin_step(int loop, std::int32_t parent_step, int origin);
  void divide_loops();
  void divide_executions(int loop);
  int only_loop_in(int loop, std::size_t step) const;
  std::vector<std::uint64_t> hashes_of_calls(int loop, std::int32_t first, std::int32_t count) const;
  void divide_steps(int loop, const std::vector<std::int32_t>& parts);
  void divide_loop(int loop);
  int divide(int loop,
             const std::function<std::vector<std::int32_t>(std::int32_t, std::int32_t)>& lengths_of);
  std::vector<std::uint64_t> tags_of_steps(int loop) const;
  std::vector<std::uint64_t> peers_of_steps(int loop) const;
  std::vector<std::uint64_t> hashes_of_steps(int loop);
  void fill(ProgramNode& node) const;

  std::vector<Origin> origins_;
  std::vector<ProgramNode> nodes_;
  std::vector<int> node_of_site_;
  std::vector<std::vector<std::uint64_t>> step_hashes_;  ///< while loops are divided: by node
};

}  // namespace finegrain::scaling
