// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/scaling/folding.hpp"
#include "traces/scaling/process_grid.hpp"
#include "traces/scaling/program_rules.hpp"
#include "traces/scaling/rank_factors.hpp"
#include "traces/scaling/rules.hpp"
#include "traces/scaling/work_trends.hpp"

namespace finegrain::scaling {

struct Recording {
  std::string file;
  std::vector<Program> ranks;
};

/// Why grids of this number of dimensions explain nothing.
struct Refusal {
  Outcome outcome = Outcome::known;
  std::string what;
};

/// Whose peers have one rule: all ranks that make the same calls, or only those at the same border of the
/// grid. Corners make the same calls, and each has its neighbours on other sides.
enum class OneRule : std::uint8_t { of_same_calls, of_same_border };

/// Which parts of the ranks' programs are compared: calls, or loops of calls.
enum class Compared : std::uint8_t { calls, loops_of_shortest, loops_of_longest };

/// How ranks' programs are compared.
struct Way {
  OneRule one_rule;
  Compared compared;

  Numbers may_differ() const { return compared == Compared::calls ? Numbers::peers_and_sizes : Numbers::all; }
};

/// The program on grids of a number of dimensions. Ranks with the same border do the same; where even those
/// of several borders do, their sizes are looked at together.
class Scaling {
 public:
  /// @param recordings  not looked at after this
  /// @param reach  how many steps away in a dimension a rank's neighbours may be
  /// @param ranks  of the program that is made  @param trends  of the recordings' work
  Scaling(const std::vector<Recording>& recordings, int dimensions, int reach, int ranks, const Way& way,
          const WorkTrends& trends);

  const Refusal& refusal() const { return refusal_; }
  const std::vector<formats::RankCalls>& programs() const { return programs_; }
  const std::vector<std::int64_t>& peers() const { return peers_; }  ///< of all ranks, in order
  bool peers_disagree() const { return peers_disagree_; }
  /// Whether a rank is at a place of the grid for which no rank was recorded.
  bool lacks_place() const { return lacks_place_; }

 private:
  void add(Origin origin);
  void refuse(Outcome outcome, const Call& call, const std::string& why);
  std::int64_t value_of(const Answer& answer, const Call& call, const char* what);
  const ProgramRules& rules_at(const std::vector<int>& border, std::size_t group);
  void make(int rank);
  std::vector<Call> calls_of(const ProgramRules& rules, const Place& place);
  Call call_of(const PartRules& rules, const Place& place);

  Way way_;
  const WorkTrends* trends_;
  ProcessGrid grid_;
  std::vector<ProcessGrid> grids_;
  std::deque<Program> aligned_;  // with loops of one step
  std::vector<std::vector<Origin>> groups_;
  std::map<std::vector<int>, std::size_t> group_of_border_;
  std::map<std::pair<std::size_t, std::vector<int>>, ProgramRules> rules_;
  std::map<std::size_t, RankFactors> factors_;  // of groups
  Refusal refusal_;
  std::vector<formats::RankCalls> programs_;
  std::vector<std::int64_t> peers_;
  std::int64_t calls_ = 0;  // of all ranks so far
  bool peers_disagree_ = false;
  bool lacks_place_ = false;
};

}  // namespace finegrain::scaling
