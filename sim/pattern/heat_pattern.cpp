// SPDX-License-Identifier: MIT
//
// Pattern "heat": an explicit 2D heat step on a grid cut into mprocs x nprocs parts, whose ranks exchange the
// points along their sides (Listings 7 and 8).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "kernels/problem/heat_grid.hpp"
#include "kernels/problem/heat_problem.hpp"
#include "sim/pattern/heat_formula.hpp"
#include "sim/pattern/interior_points.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/pattern/pattern.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::pattern {
namespace {

bool is_horizontal(problem::Side side) {
  return side == problem::Side::left || side == problem::Side::right;
}

problem::HeatGrid recorded_grid(const Run& run) {
  const problem::HeatGrid grid = grid_of(run.problem);
  if (grid.ranks() == run.ranks) return grid;
  throw InputError(
      "problem",
      fmt::format("has {} x {} parts for {}", grid.mprocs(), grid.nprocs(), format_count(run.ranks, "rank")),
      "Record the trace again");
}

std::int64_t points_of(const problem::HeatGrid& grid, int rank) {
  const problem::HeatPart part = grid.part(rank);
  return part.rows * part.columns;
}

/// The largest divisor of `ranks` that is no larger than its square root: the parts of the grid are as square
/// as they can be, and no fewer across than down.
int ranks_down(int ranks) {
  int divisor = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % divisor != 0)
    --divisor;
  return divisor;
}

std::optional<std::int64_t> number(const Settings& given, const char* name) {
  const auto found = given.find(name);
  return found == given.end() ? std::nullopt : std::optional(std::get<std::int64_t>(found->second));
}

int parts(const Settings& given, const char* name) {
  constexpr std::int64_t most = 1'000'000'000;  // ranks, and points along a side
  return static_cast<int>(std::clamp<std::int64_t>(number(given, name).value_or(0), 0, most));
}

/// Ranks down and across the grid. If only one of the two is given, the other follows from it.
/// @throws InputError if the given one does not divide the ranks
std::pair<int, int> cut(int ranks, const Settings& given) {
  const bool says_down = given.contains("mprocs");
  const bool says_across = given.contains("nprocs");
  if (says_down && says_across) return {parts(given, "mprocs"), parts(given, "nprocs")};
  if (!says_down && !says_across) {
    const int down = ranks_down(std::max(1, ranks));
    return {down, ranks / down};
  }
  const char* const name = says_down ? "mprocs" : "nprocs";
  const int one = parts(given, name);
  if (one < 1 || ranks % one != 0)
    throw InputError(name, fmt::format("{} does not divide {}", one, format_count(ranks, "rank")),
                     "Give a number that does, or both mprocs and nprocs");
  return says_down ? std::pair(one, ranks / one) : std::pair(ranks / one, one);
}

class Heat : public Pattern {
 public:
  explicit Heat(problem::GridSize size) : size_(size) {}

  std::string title() const override { return name() + " points"; }
  std::string name() const override { return fmt::format("{}x{}", size_.rows, size_.columns); }

  std::optional<int> ranks(const Settings& given) const override {
    if (!given.contains("mprocs") || !given.contains("nprocs")) return std::nullopt;
    return problem::HeatGrid(size_.rows, size_.columns, parts(given, "mprocs"), parts(given, "nprocs"))
        .ranks();
  }

  Problem problem(int ranks, const Settings& given) const override {
    const auto [down, across] = cut(ranks, given);
    const problem::HeatGrid grid(size_.rows, size_.columns, down, across);
    const auto update = given.find("update");
    const bool copies = update != given.end() && std::get<std::string>(update->second) == "copy";
    return problem::HeatProblem{grid.rows(), grid.columns(), grid.mprocs(), grid.nprocs(),
                                copies ? problem::HeatUpdate::copy : problem::HeatUpdate::swap};
  }

  Work work(const Run& run, int rank, int /*stage*/) const override {
    return {heat_compute_bytes(points_of(recorded_grid(run), rank))};
  }
  int fences() const override { return 1; }
  /// The rows lie in shared memory (Listing 7); the columns that a rank gets do not, but few of them come
  /// from other nodes.
  bool uses_private_memory() const override { return false; }

  /// Messages in the order left, right, up, down. Both ends of a side are equally long, so a rank's own part
  /// gives every size. What crosses the left and right sides is packed.
  ///
  /// In the listing the left message is unpacked before the right one is fetched; here all gets come first,
  /// as eq. (21) adds the times up.
  std::vector<StageExchange> exchanges(const Run& run,
                                       std::span<const RankCounts> /*counts*/) const override {
    const problem::HeatGrid grid = recorded_grid(run);
    const bool copies = problem::HeatProblem::of(run.problem).update == problem::HeatUpdate::copy;
    StageExchange exchange;
    for (int rank = 0; rank < run.ranks; ++rank) {
      RankExchange& own = exchange.ranks.emplace_back();
      const problem::HeatPart part = grid.part(rank);
      std::int64_t packed = 0;
      for (const problem::Side side :
           std::array{problem::Side::left, problem::Side::right, problem::Side::up, problem::Side::down}) {
        const auto peer = grid.neighbour(rank, side);
        if (!peer) continue;
        own.in.push_back({*peer, (is_horizontal(side) ? part.rows : part.columns) * double_bytes});
        if (is_horizontal(side)) packed += part.rows;
      }
      own.out = own.in;
      own.pack = {halo_pack_bytes(packed)};
      own.unpack = {.memory_bytes = halo_pack_bytes(packed), .scattered_stores = packed};
      own.work = Work{heat_compute_bytes(points_of(grid, rank))};
      own.interior_work = {heat_compute_bytes(interior_points(grid, rank))};
      const std::int64_t updated = heat_copy_bytes(points_of(grid, rank));
      if (copies) own.update = Work{.memory_bytes = updated, .copied_bytes = updated / 2};
    }
    return {exchange};
  }

 private:
  problem::GridSize size_;
};

class HeatKind : public PatternKind {
 public:
  std::string name() const override { return "heat"; }
  int order() const override { return 1; }
  std::string flag() const override { return "heat"; }
  std::string flag_help() const override { return "Instead: the 2D heat solver on ROWSxCOLUMNS points"; }
  std::string kernel_flag() const override { return "grid"; }
  std::string kernel_flag_help() const override { return "Inner points, ROWSxCOLUMNS, e.g. 2000x2000"; }
  std::string kernel_help() const override {
    return "Explicit 2D heat solver with halo exchange, in MPI + OpenMP or (--transfer get) UPC++.";
  }
  std::string kernel_examples() const override {
    return "Examples: finegrain record heat --ranks 2 --heat 2000x2000 --out heat.trace\n"
           "          finegrain record heat --transfer get --ranks 2 --heat 2000x2000 --out heat.trace";
  }
  bool is_file() const override { return false; }
  std::vector<Parameter> parameters() const override {
    return {
        {.name = "mprocs",
         .label = "",
         .help =
             "Heat: ranks down the grid. Default: what nprocs leaves, or as near to a square as ranks allow"},
        {.name = "nprocs", .label = "", .help = "Heat: ranks across the grid. Default: what mprocs leaves"},
        {.name = "update",
         .label = "",
         .help = "Heat: old and new points change places (swap), or are copied (copy, Listing 8). Default: "
                 "swap",
         .words = {"swap", "copy"}}};
  }
  bool has_accesses() const override { return false; }
  std::vector<Transfer> transfers() const override { return {Transfer::get, Transfer::two_sided}; }

  std::shared_ptr<const Pattern> open(const std::string& text, const std::string& place) const override {
    return std::make_shared<Heat>(problem::parse_grid(text, place));
  }
  std::shared_ptr<const Pattern> open_recorded(const Run& run, const std::string& text,
                                               const std::string& trace) const override {
    refuse_text(*this, text, trace);
    const problem::HeatProblem heat = problem::HeatProblem::of(run.problem);
    return std::make_shared<Heat>(problem::GridSize{heat.rows, heat.columns});
  }

  std::string describe(const Problem& problem) const override {
    const problem::HeatProblem heat = problem::HeatProblem::of(problem);
    return fmt::format("{} x {} points in {} x {} parts, update by {}", heat.rows, heat.columns, heat.mprocs,
                       heat.nprocs, to_string(heat.update));
  }
  std::string case_of(const Problem& problem) const override {
    const problem::HeatProblem heat = problem::HeatProblem::of(problem);
    return fmt::format("{}^2, {}x{}", heat.rows, heat.mprocs, heat.nprocs);
  }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    const problem::HeatGrid grid = recorded_grid(run);
    std::vector<std::int64_t> elements;
    for (int rank = 0; rank < run.ranks; ++rank)
      elements.push_back(points_of(grid, rank));
    return elements;
  }
  /// Enough however the grid is cut: the rank's share of the points; and four times a row and a column, for
  /// the remainder of the cut, the halo on two sides, and the packed columns.
  SharedElements shared_elements(const Run& run) const override {
    const problem::HeatProblem heat = problem::HeatProblem::of(run.problem);
    const auto rows = static_cast<double>(heat.rows);
    const auto columns = static_cast<double>(heat.columns);
    // The program itself refuses sizes that fit into no memory or are no grid.
    const auto points = static_cast<std::int64_t>(
        std::clamp(rows * columns / run.ranks + 4 * (rows + columns) + 16, 0.0, 0x1p50));
    return {points, points, 0, 2 * points * double_bytes};
  }
  /// The old and the new temperatures, with the points around the part; and the columns that are packed.
  std::vector<MemoryUse> arrays(const Run& run) const override {
    const problem::HeatGrid grid = recorded_grid(run);
    MemoryUse points{"temperatures", {}};
    MemoryUse columns{"packed columns", {}};
    for (int rank = 0; rank < run.ranks; ++rank) {
      const problem::HeatPart part = grid.part(rank);
      points.ranks_bytes.push_back(2 * (part.rows + 2) * (part.columns + 2) * double_bytes);
      std::int64_t packed = 0;
      for (const problem::Side side : {problem::Side::left, problem::Side::right})
        if (grid.neighbour(rank, side)) packed += part.rows;
      columns.ranks_bytes.push_back(2 * packed * double_bytes);  // sent and received
    }
    return {std::move(points), std::move(columns)};
  }
  model::ElementWork element_work(const Problem& /*problem*/) const override {
    return {3 * model::sizeof_double, "3 sizeof(double)", "points updated"};
  }
  bool has_own_formula() const override { return true; }
  model::Formula own_formula(const Run& run, model::ClosedForm form,
                             const problem::Placement& placement) const override {
    return heat_formula(run, form, placement);
  }
  model::Formula own_formula_between(const Run& run, model::ClosedForm form,
                                     const problem::Placement& placement, int rank, int peer) const override {
    return heat_formula_between(run, form, placement, rank, peer);
  }
};

}  // namespace

const PatternKind& heat_pattern() {
  static const HeatKind kind;
  return kind;
}

}  // namespace finegrain::pattern
