// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "traces/scaling/member_rules.hpp"
#include "traces/scaling/neighbour_rules.hpp"
#include "traces/scaling/predicates.hpp"
#include "traces/scaling/program_tree.hpp"
#include "traces/scaling/where.hpp"

namespace finegrain::scaling {

/// Something that has no rule.
struct Obstacle {
  int site = 0;
  std::string what;
};

/// The rules of one kind of operation of a call.
struct OperationRules {
  RecordedOperation like;               ///< what does not differ
  std::vector<Predicate> happens = {};  ///< where a call has it, if it has at most one
  std::vector<Rule> count = {};         ///< if it may have more
  std::vector<MembersRule> members = {};
  std::vector<Rule> peer = {};  ///< the other rank, or the root; none, if there is no such
  std::vector<Rule> size = {};
  std::vector<Rule> tag = {};
  std::vector<Rule> sizes = {};                 ///< its table's: at the place of the rank whose size it is
  std::vector<NeighbourRules> neighbours = {};  ///< a neighbour collective's: to whom, and from whom

  /// What a Complete takes of the open requests.
  enum class Completes : std::uint8_t { all, of_sites, from_oldest, from_newest };
  Completes completes = Completes::all;
  std::vector<int> of_sites = {};
  std::vector<Rule> first = {};  ///< how many open ones are older, or newer
};

/// The rules of one part of the program.
struct NodeRules {
  std::vector<Predicate> happens = {};  ///< a call is made, a loop has any steps
  std::vector<Rule> count = {};         ///< steps of a loop, where it has any
  std::vector<OperationRules> operations = {};
  /// A loop over the neighbours that the grid has makes one step for each of these directions.
  std::vector<Direction> directions = {};
};

/// After so many obstacles, no more are looked for: in a large program, that takes minutes.
inline constexpr std::size_t most_obstacles = 12;

/// The rules that all ranks of all recordings obey on a grid of this shape.
class ProgramRules {
 public:
  /// @param most  obstacles to look for @pre the tree outlives it
  ProgramRules(const ProgramTree& tree, const std::vector<Recording>& recordings, const GridShape& shape,
               std::size_t most);

  /// Parts of the program whose rules were found.
  int found() const { return found_; }
  const GridShape& shape() const { return shape_; }
  const NodeRules& of(int node) const { return rules_[static_cast<std::size_t>(node)]; }
  const std::vector<Obstacle>& obstacles() const { return obstacles_; }
  /// The sum of the tiers of all rules: a program whose grid this is obeys the most usual ones.
  int tiers() const;
  /// The place of a rank of all recordings.
  const RankPlace& place_of(int origin) const { return places_[static_cast<std::size_t>(origin)]; }

 private:
  struct Made;  ///< a call, as it was made in one step

  void find_rules(int loop);
  void find_rules_of_loop(int node);
  bool find_directions(int node);
  void prefer_doubling(int loop);
  bool takes_a_step_for_each_neighbour(NodeRules& rules, std::span<const Sample> happens,
                                       std::span<const Sample> counts) const;
  void find_rules_of_call(int node);
  void find_rules_of_operations(int node, std::span<const std::int32_t> steps);
  void take_same_sizes();
  OperationRules rules_of_slot(int node, std::span<const Made> calls);
  void add_rules_of_post(int node, std::span<const Made> made, OperationRules& rules);
  void add_rules_of_collective(int site, std::span<const Made> made, OperationRules& rules);
  void add_rules_of_neighbours(int site, std::span<const Made> made, OperationRules& rules);
  void add_rules_of_completion(int site, std::span<const Made> made, OperationRules& rules);
  void add_rules_of_members(int site, std::span<const Made> made, OperationRules& rules);
  std::vector<Rule> numbers(int site, std::span<const Sample> samples, const char* what);
  std::vector<Rule> sizes_of(int site, std::span<const Sample> samples,
                             std::optional<std::int64_t> element_bytes);
  void refuse(int site, std::string what);
  std::string place_name(const Where& where) const;

  const ProgramTree& tree_;
  GridShape shape_;
  std::size_t most_;
  int found_ = 0;
  std::deque<ProcessGrid> grids_;
  std::deque<RankPlace> places_;
  std::vector<NodeRules> rules_;
  std::vector<std::vector<Where>> wheres_;            ///< where each loop's steps are
  std::vector<std::vector<std::int32_t>> looked_at_;  ///< steps of each loop that are not like others
  std::vector<Obstacle> obstacles_;
};

}  // namespace finegrain::scaling
