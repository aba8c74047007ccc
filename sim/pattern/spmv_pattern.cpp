// SPDX-License-Identifier: MIT
//
// Pattern "spmv": y = Mx on an EllPack matrix, whose rows are dealt out in blocks (Lagravière et al. 2019,
// section 3). A row reads the elements of x that its column indices name.
#include "sim/pattern/spmv_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/opened_matrix.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/model/hardware.hpp"
#include "sim/pattern/foreign_accesses.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::pattern {
namespace {

Work copy_work(std::int64_t rows) {
  return {.memory_bytes = copy_bytes(rows), .copied_bytes = copy_bytes(rows) / 2};
}

/// What each rank exchanges with every other: each distinct value once. Shape [ranks].
std::vector<RankExchange> exchanges_of(std::span<const RankCounts> counts, int r_nz) {
  std::vector<RankExchange> ranks(counts.size());
  for (std::size_t receiver = 0; receiver < counts.size(); ++receiver) {
    RankExchange& own = ranks[receiver];
    own.copy = copy_work(counts[receiver].rows);
    own.work = Work{spmv_compute_bytes(counts[receiver].rows, r_nz)};
    own.interior_work = {spmv_compute_bytes(counts[receiver].interior_rows, r_nz)};
    for (const PeerCounts& need : counts[receiver].needs) {
      own.in.push_back({need.peer, need.values * double_bytes, need.node_values * double_bytes});
      own.unpack.memory_bytes += unpack_bytes(need.values);
      own.unpack.scattered_stores += need.values;
      RankExchange& sender = ranks[static_cast<std::size_t>(need.peer)];
      sender.out.push_back({static_cast<std::int32_t>(receiver), need.values * double_bytes});
      sender.pack.memory_bytes += pack_bytes(need.values);
    }
  }
  return ranks;
}

/// What every answer about the matrix should say.
std::vector<std::string> notes_of(const problem::OpenedMatrix& opened) {
  constexpr double worth_saying = 0.5;
  const double share = problem::padding_share(opened.view);
  std::vector<std::string> notes = opened.notes;
  if (share <= worth_saying) return notes;
  notes.push_back(fmt::format(
      "Padding: {:.1f} % of the entries off the diagonal, because in EllPack format all rows are "
      "as long as the longest, which has {}. The times include the work on it; without it, they would be "
      "shorter.",
      100 * share, opened.view.r_nz));
  return notes;
}

class Spmv : public Pattern {
 public:
  explicit Spmv(problem::OpenedMatrix opened)
      : opened_(std::move(opened)), matrix_(opened_.view), notes_(notes_of(opened_)) {}

  std::string title() const override { return fmt::format("{} ({})", name(), opened_.description); }
  std::string description() const override { return opened_.description; }
  std::string name() const override { return opened_.name; }
  std::string digest() const override { return opened_.digest; }

  std::vector<std::string> notes() const override { return notes_; }

  Problem problem(int ranks, const Settings& given) const override {
    const auto block_size = given.find("blocksize");
    const problem::Distribution distribution(
        matrix_.rows, ranks,
        block_size != given.end() ? std::get<std::int64_t>(block_size->second)
                                  : problem::one_block_per_rank(matrix_.rows, std::max(1, ranks)));
    return problem::SpmvProblem{name(), digest(), matrix_.rows, matrix_.r_nz, distribution.block_size()};
  }

  std::vector<std::vector<RankCounts>> counts(std::span<const Run> runs,
                                              std::span<const problem::Placement> placements,
                                              int threads) const override {
    std::vector<Layout> layouts;
    for (std::size_t i = 0; i < runs.size(); ++i)
      layouts.push_back({layout_of(runs[i]).distribution, placements[i], runs[i].ranks_per_node});
    return count_accesses(matrix_, layouts, threads);
  }

  Work work(const Run& run, int rank, int /*stage*/) const override {
    return {spmv_compute_bytes(layout_of(run).distribution.elements_of(rank), matrix_.r_nz)};
  }
  /// The last two barriers of the listings fence the swap of x and y.
  int fences() const override { return 2; }
  /// The copy of x and the outgoing messages come from malloc (Listings 4 and 5).
  bool uses_private_memory() const override { return true; }

  std::optional<std::int64_t> owned_bytes(const Run& run, int rank) const override {
    return layout_of(run).distribution.elements_of(rank) * double_bytes;
  }
  void accesses(const Run& run, const OnAccesses& visit) const override {
    const problem::Distribution distribution = layout_of(run).distribution;
    std::array<Access, 1024> part;
    for (int rank = 0; rank < run.ranks; ++rank) {
      std::size_t count = 0;
      for_each_foreign_access(matrix_, distribution, rank, [&](const ForeignAccess& access) {
        const std::int64_t in_block = access.element - distribution.block_begin(access.block);
        const std::int64_t place = access.block / distribution.ranks() * distribution.block_size() + in_block;
        part[count++] = {.owner = access.owner,
                         .size_bytes = static_cast<std::int32_t>(double_bytes),
                         .address = place * double_bytes,
                         .iteration = access.row};
        if (count == part.size()) visit(rank, 0, {part.data(), std::exchange(count, 0)});
      });
      visit(rank, 0, {part.data(), count});
    }
  }

  /// An iteration is a row; padding refers to the row's own element.
  std::optional<AccessLoop> loop(const Run& run, int rank, int /*stage*/) const override {
    const std::int64_t rows = layout_of(run).distribution.elements_of(rank);
    return AccessLoop{rows, rows * matrix_.r_nz};
  }

  /// All of the rank's own blocks are among them, since D x reads each of their elements.
  void needed_blocks(const Run& run, const OnBlocks& visit) const override {
    const problem::Distribution distribution = layout_of(run).distribution;
    // The last rank so far that needs each block.
    std::vector<int> last_user(static_cast<std::size_t>(distribution.blocks()), -1);
    std::vector<std::int64_t> needed;
    std::vector<NeededBlock> blocks;
    for (int rank = 0; rank < run.ranks; ++rank) {
      needed.clear();
      for (std::int64_t own = rank; own < distribution.blocks(); own += distribution.ranks())
        needed.push_back(own);
      for_each_foreign_access(matrix_, distribution, rank, [&](const ForeignAccess& access) {
        if (std::exchange(last_user[access.block], rank) != rank) needed.push_back(access.block);
      });
      std::ranges::sort(needed);
      blocks.clear();
      for (const std::int64_t block : needed) {
        blocks.push_back(
            {distribution.owner_of_block(block), distribution.block_length(block) * double_bytes});
      }
      visit(rank, 0, blocks);
    }
  }

  std::vector<StageExchange> exchanges(const Run& run, std::span<const RankCounts> counts) const override {
    std::vector<RankCounts> counted;
    if (counts.empty()) counts = counted = count_accesses(matrix_, layout_of(run));
    return {{.ranks = exchanges_of(counts, matrix_.r_nz)}};
  }

 private:
  problem::OpenedMatrix opened_;
  problem::EllpackView matrix_;
  std::vector<std::string> notes_;
};

class SpmvKind : public PatternKind {
 public:
  std::string name() const override { return "spmv"; }
  int order() const override { return 0; }
  std::string flag() const override { return "matrix"; }
  std::string flag_help() const override {
    return "Matrix file (see finegrain mesh); or a mesh or .mtx file, which is read each time";
  }
  std::string kernel_flag() const override { return "matrix"; }
  std::string kernel_flag_help() const override { return "Matrix file, from finegrain mesh"; }
  std::string kernel_help() const override {
    return "Sparse matrix-vector product: condensed messages in MPI + OpenMP, or any other of the study's "
           "programs.";
  }
  std::string kernel_examples() const override {
    return "Examples: finegrain record spmv --ranks 2 --matrix heart.fgm --out heart.trace\n"
           "          finegrain record spmv --policy individual --matrix heart.fgm --out heart.trace\n"
           "          finegrain record spmv --transfer put --completion overlapped --matrix heart.fgm --out "
           "heart.trace";
  }
  bool is_file() const override { return true; }
  std::vector<Parameter> parameters() const override {
    return {{.name = "blocksize",
             .label = "BLOCKSIZE",
             .help = "Consecutive rows with one owner. Default: one block a rank",
             .is_axis = true}};
  }
  bool has_accesses() const override { return true; }
  std::vector<Transfer> transfers() const override { return {Transfer::put, Transfer::two_sided}; }

  std::shared_ptr<const Pattern> open(const std::string& text, const std::string& /*place*/) const override {
    return std::make_shared<Spmv>(problem::open_matrix(text));
  }

  std::shared_ptr<const Pattern> open_recorded(const Run& run, const std::string& text,
                                               const std::string& trace) const override {
    if (text.empty()) return nullptr;
    const problem::SpmvProblem problem = problem::SpmvProblem::of(run.problem);
    problem::OpenedMatrix matrix = problem::open_matrix(text);
    if (matrix.digest == problem.matrix_digest && matrix.view.rows == problem.rows &&
        matrix.view.r_nz == problem.r_nz)
      return std::make_shared<Spmv>(std::move(matrix));
    throw InputError(
        "matrix",
        fmt::format("{} is not the matrix of {} ({} rows, r_nz {}, digest of J {}; recorded: {}, {}, {})",
                    text, trace, matrix.view.rows, matrix.view.r_nz, matrix.digest, problem.rows,
                    problem.r_nz, problem.matrix_digest),
        fmt::format("Give {}", problem.matrix));
  }

  std::string describe(const Problem& problem) const override {
    const problem::SpmvProblem spmv = problem::SpmvProblem::of(problem);
    return fmt::format("{}: {} rows, r_nz {}, BLOCKSIZE {}, J {}", spmv.matrix, spmv.rows, spmv.r_nz,
                       spmv.block_size, spmv.matrix_digest);
  }
  std::string case_of(const Problem& problem) const override {
    return fmt::format("B {}", problem::SpmvProblem::of(problem).block_size);
  }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    const problem::Distribution distribution = layout_of(run).distribution;
    std::vector<std::int64_t> elements;
    for (int rank = 0; rank < run.ranks; ++rank)
      elements.push_back(distribution.elements_of(rank));
    return elements;
  }
  SharedElements shared_elements(const Run& run) const override {
    const problem::SpmvProblem problem = problem::SpmvProblem::of(run.problem);
    return {layout_of(run).distribution.elements_of(0), problem.rows,
            double_bytes + problem.r_nz * (double_bytes + index_bytes)};
  }
  std::vector<MemoryUse> arrays(const Run& run) const override {
    const std::int64_t r_nz = problem::SpmvProblem::of(run.problem).r_nz;
    const auto array = [&](const char* what, std::int64_t bytes_a_row) {
      MemoryUse use{what, elements_of_ranks(run)};
      for (std::int64_t& bytes : use.ranks_bytes)
        bytes *= bytes_a_row;
      return use;
    };
    return {array("x", double_bytes), array("y", double_bytes), array("D", double_bytes),
            array("A", r_nz * double_bytes), array("J", r_nz * index_bytes)};
  }
  model::ElementWork element_work(const Problem& problem) const override {
    const problem::SpmvProblem spmv = problem::SpmvProblem::of(problem);
    return {.bytes = row_traffic_bytes(spmv.r_nz),
            .text = "(r_nz (sizeof(double) + sizeof(int)) + 3 sizeof(double))",
            .counted = "rows multiplied",
            .block_elements = spmv.block_size,
            .references = spmv.r_nz,
            .shared_references = 2 * spmv.r_nz + 2};  // A and J; D and y
  }
};

}  // namespace

const PatternKind& spmv_pattern() {
  static const SpmvKind kind;
  return kind;
}

std::shared_ptr<const Pattern> spmv_of(const problem::EllpackView& matrix) {
  return std::make_shared<Spmv>(problem::OpenedMatrix{.view = matrix});
}

double row_traffic_bytes(int r_nz) {
  return r_nz * (model::sizeof_double + model::sizeof_int) + 3 * model::sizeof_double;
}

}  // namespace finegrain::pattern
