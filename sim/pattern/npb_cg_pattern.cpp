// SPDX-License-Identifier: MIT
//
// Pattern "npb-cg": CG of the NAS Parallel Benchmarks (cg.f of NPB 3.3, MPI). The matrix is cut into nprows x
// npcols blocks, where npcols is nprows or twice nprows. Each product is summed up along the rows of blocks
// in log2(npcols) exchanges, and then exchanged with the transposed block. Each scalar product is a sum of
// one number, in as many exchanges. An iteration is an outer one: 25 steps of CG and a product for the
// residual.
//
// Here an exchange posts its receives and sends, and waits for all of them; cg.f has blocking sends. What a
// rank would send to itself, it copies.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "kernels/problem/npb_cg_matrix.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "sim/pattern/on_threads.hpp"
#include "sim/pattern/pattern.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::pattern {
namespace {

/// Elements of a vector, from `begin` on.
struct CgPart {
  std::int64_t begin;
  std::int64_t length;
};

/// Part number `part` of `whole` elements that are cut into `parts`. If these do not divide the whole, the
/// first parts have one element more.
CgPart cg_share(std::int64_t whole, std::int64_t parts, std::int64_t part) {
  const std::int64_t longer = whole % parts;
  return {part * (whole / parts) + std::min(part, longer), whole / parts + (part < longer ? 1 : 0)};
}

std::pair<CgPart, CgPart> cg_halves(const CgPart& part) {
  const std::int64_t first = (part.length + 1) / 2;
  return {{part.begin, first}, {part.begin + first, part.length - first}};
}

/// The blocks of the matrix, and which rank has which.
class CgBlocks {
 public:
  CgBlocks(std::int64_t rows, int ranks) : rows_(rows) {
    const int log_ranks = std::bit_width(static_cast<unsigned>(ranks)) - 1;
    nprows_ = 1 << log_ranks / 2;
    npcols_ = ranks / nprows_;
  }

  int nprows() const { return nprows_; }
  int npcols() const { return npcols_; }
  int row_of(int rank) const { return rank / npcols_; }
  int column_of(int rank) const { return rank % npcols_; }
  CgPart rows(int rank) const { return cg_share(rows_, nprows_, row_of(rank)); }
  CgPart columns(int rank) const { return columns_of(column_of(rank)); }
  CgPart columns_of(int column) const {
    if (is_square()) return cg_share(rows_, npcols_, column);
    const auto [first, second] = cg_halves(cg_share(rows_, nprows_, column / 2));
    return column % 2 == 0 ? first : second;
  }
  /// The rows of a product that a rank has in the end, before they are transposed.
  CgPart summed(int rank) const {
    if (is_square()) return rows(rank);
    const auto [first, second] = cg_halves(rows(rank));
    return rank % 2 == 0 ? first : second;
  }
  /// log2(npcols) exchanges; in exchange i = 0, ... with the rank whose column differs by npcols / 2^(i + 1).
  int exchanges() const { return std::bit_width(static_cast<unsigned>(npcols_)) - 1; }
  int partner(int rank, int exchange) const { return rank ^ (npcols_ >> (exchange + 1)); }
  int transposed(int rank) const {
    if (is_square()) return column_of(rank) * nprows_ + row_of(rank);
    return 2 * (column_of(rank) / 2 * nprows_ + row_of(rank)) + rank % 2;
  }
  bool is_square() const { return nprows_ == npcols_; }

 private:
  std::int64_t rows_;
  int nprows_ = 1;
  int npcols_ = 1;
};

/// For a number i: the row of blocks that holds row i, and the column of blocks that holds column i.
struct CgBlock {
  std::int16_t row;
  std::int16_t column;
};

std::vector<CgBlock> blocks_of_rows(const CgBlocks& blocks, std::int64_t rows) {
  std::vector<CgBlock> of_rows(static_cast<std::size_t>(rows));
  for (int row = 0; row < blocks.nprows(); ++row) {
    const CgPart part = cg_share(rows, blocks.nprows(), row);
    for (std::int64_t i = part.begin; i < part.begin + part.length; ++i)
      of_rows[static_cast<std::size_t>(i)].row = static_cast<std::int16_t>(row);
  }
  for (int column = 0; column < blocks.npcols(); ++column) {
    const CgPart part = blocks.columns_of(column);
    for (std::int64_t i = part.begin; i < part.begin + part.length; ++i)
      of_rows[static_cast<std::size_t>(i)].column = static_cast<std::int16_t>(column);
  }
  return of_rows;
}

/// The nonzeros in each rank's block. Shape [ranks]
std::vector<std::int64_t> count_nonzeros(const problem::NpbCgClass& of_class, int ranks) {
  const problem::NpbCgMatrix matrix(of_class);
  const CgBlocks blocks(of_class.rows, ranks);
  const std::vector<CgBlock> of_rows = blocks_of_rows(blocks, of_class.rows);
  const int threads = all_cores();
  std::vector<std::vector<std::int64_t>> nonzeros(static_cast<std::size_t>(threads));
  on_threads(threads, [&](int thread) {
    std::vector<std::int64_t>& found = nonzeros[static_cast<std::size_t>(thread)];
    found.resize(static_cast<std::size_t>(ranks));
    const auto add = [&](std::int16_t row, std::int16_t column) {
      ++found[static_cast<std::size_t>(row) * static_cast<std::size_t>(blocks.npcols()) +
              static_cast<std::size_t>(column)];
    };
    problem::NpbCgMatrix::Rows rows(matrix);
    for (std::int64_t row = thread; row < of_class.rows; row += threads) {
      const CgBlock of_row = of_rows[static_cast<std::size_t>(row)];
      for (const std::int32_t column : rows.columns_to_diagonal(row)) {
        const CgBlock of_column = of_rows[static_cast<std::size_t>(column)];
        add(of_row.row, of_column.column);
        if (column != row) add(of_column.row, of_row.column);
      }
    }
  });
  for (int thread = 1; thread < threads; ++thread)
    std::ranges::transform(nonzeros.front(), nonzeros[static_cast<std::size_t>(thread)],
                           nonzeros.front().begin(), std::plus());
  return std::move(nonzeros.front());
}

/// The same, counted once for each class and number of ranks: programs and their memory both need it, and
/// class D has 10^9 of them.
const std::vector<std::int64_t>& nonzeros_of_ranks(const problem::NpbCgClass& of_class, int ranks) {
  static std::mutex one_at_a_time;
  static std::map<std::pair<std::string, int>, std::vector<std::int64_t>> known;
  const std::lock_guard lock(one_at_a_time);
  const std::pair key(of_class.name, ranks);
  const auto found = known.find(key);
  return found != known.end() ? found->second
                              : known.emplace(key, count_nonzeros(of_class, ranks)).first->second;
}

/// Writes the exchanges of an iteration, all ranks together.
class CgWriter {
 public:
  CgWriter(const problem::NpbCgClass& of_class, int ranks)
      : blocks_(of_class.rows, ranks), ranks_(ranks), nonzeros_(nonzeros_of_ranks(of_class, ranks)) {}

  std::vector<StageExchange> iteration() {
    work_on_columns(4);  // r = p = x, z = 0
    sum(1);
    for (int step = 0; step <= problem::npb_cg_steps; ++step) {
      const bool is_residual = step == problem::npb_cg_steps;
      product(step == 0 ? 0 : 3);  // p = r + beta p before it
      reduce();
      transpose();
      sum(1);
      if (is_residual) break;
      work_on_columns(6);  // z += alpha p, r -= alpha q
      sum(1);
    }
    work_on_columns(2);  // x z and z z
    sum(2);
    work_on_columns(2);  // x = z / |z|
    return std::move(stages_);
  }

 private:
  template <class Fill>
  void add_stage(Fill&& fill) {
    StageExchange& stage = stages_.emplace_back();
    stage.ranks.resize(static_cast<std::size_t>(ranks_));
    for (int rank = 0; rank < ranks_; ++rank) {
      RankExchange& own = stage.ranks[static_cast<std::size_t>(rank)];
      own.copy.reset();
      own.work.reset();
      fill(rank, own);
    }
  }
  static void exchange(RankExchange& own, int peer, std::int64_t sent, std::int64_t received) {
    own.out.push_back({peer, sent * double_bytes});
    own.in.push_back({peer, received * double_bytes});
  }
  /// Bytes of memory traffic if `doubles` numbers are read or written for each element of the rank's part of
  /// a vector.
  std::int64_t vector_bytes(int rank, std::int64_t doubles) const {
    return doubles * blocks_.columns(rank).length * double_bytes;
  }
  void work_on_columns(std::int64_t doubles) {
    add_stage([&](int rank, RankExchange& own) { own.work = Work{vector_bytes(rank, doubles)}; });
  }
  void product(std::int64_t doubles_before) {
    add_stage([&](int rank, RankExchange& own) {
      own.work = Work{vector_bytes(rank, doubles_before + 1) +
                      nonzeros_[static_cast<std::size_t>(rank)] * (double_bytes + index_bytes) +
                      blocks_.rows(rank).length * double_bytes};
    });
  }
  /// Sums up `numbers` numbers of every rank along the rows of blocks.
  void sum(std::int64_t numbers) {
    for (int i = 0; i < blocks_.exchanges(); ++i)
      add_stage(
          [&](int rank, RankExchange& own) { exchange(own, blocks_.partner(rank, i), numbers, numbers); });
  }
  /// Sums up a product along the rows of blocks, with the nearest partners first. If blocks are twice as high
  /// as they are wide, two neighbours first divide their rows between them, and each goes on with its half.
  void reduce() {
    for (int i = blocks_.exchanges() - 1; i >= 0; --i) {
      add_stage([&](int rank, RankExchange& own) {
        const std::int64_t kept = blocks_.summed(rank).length;
        const bool halves = !blocks_.is_square() && i == blocks_.exchanges() - 1;
        exchange(own, blocks_.partner(rank, i), halves ? blocks_.rows(rank).length - kept : kept, kept);
        own.unpack = {3 * kept * double_bytes};
      });
    }
  }
  /// Exchanges the product with the transposed block, and computes a scalar product of what came.
  void transpose() {
    add_stage([&](int rank, RankExchange& own) {
      const int peer = blocks_.transposed(rank);
      if (peer == rank) {
        own.unpack = {2 * blocks_.summed(rank).length * double_bytes};
      } else {
        exchange(own, peer, blocks_.summed(rank).length, blocks_.columns(rank).length);
      }
      own.work = Work{vector_bytes(rank, 2)};
    });
  }

  CgBlocks blocks_;
  int ranks_;
  std::vector<std::int64_t> nonzeros_;
  std::vector<StageExchange> stages_;
};

class NpbCg : public Pattern {
 public:
  explicit NpbCg(const problem::NpbCgClass& of_class) : class_(of_class) {}

  std::string title() const override { return "NPB CG, class " + class_.name; }
  std::string name() const override { return class_.name; }

  Problem problem(int ranks, const Settings& /*given*/) const override {
    if (ranks < 1 || !std::has_single_bit(static_cast<unsigned>(ranks)))
      throw InputError("ranks", fmt::format("{} ranks (NPB's CG runs on a power of two)", ranks),
                       "Give 1, 2, 4, 8, ...");
    return {"npb-cg", {{"class", class_.name}}};
  }

  int stages(const Run& run) const override { return static_cast<int>(exchanges(run, {}).size()); }
  Work work(const Run& run, int rank, int stage) const override {
    const auto all = exchanges(run, {});
    return all[static_cast<std::size_t>(stage)].ranks[static_cast<std::size_t>(rank)].work.value_or(Work{});
  }
  int fences() const override { return 0; }
  bool uses_private_memory() const override { return false; }
  std::vector<StageExchange> exchanges(const Run& run,
                                       std::span<const RankCounts> /*counts*/) const override {
    return CgWriter(class_, run.ranks).iteration();
  }

 private:
  problem::NpbCgClass class_;
};

class NpbCgKind : public PatternKind {
 public:
  std::string name() const override { return "npb-cg"; }
  int order() const override { return 20; }
  std::string flag() const override { return "npb-cg"; }
  std::string flag_help() const override { return "Instead: NPB's CG, of class S, W, A, B, C or D"; }
  std::string kernel_flag() const override { return "class"; }
  std::string kernel_flag_help() const override { return "S, W, A, B, C or D"; }
  std::string kernel_help() const override {
    return "CG of the NAS Parallel Benchmarks, in MPI. An iteration is an outer one: 26 products.";
  }
  std::string kernel_examples() const override {
    return "Example: finegrain record npb-cg --ranks 4 --npb-cg S --iterations 15 --out cg.trace";
  }
  bool is_file() const override { return false; }
  std::vector<Parameter> parameters() const override { return {}; }
  bool has_accesses() const override { return false; }
  /// A rank adds up and sends the whole product, so that no work is left to overlap.
  bool overlaps() const override { return false; }
  std::vector<Transfer> transfers() const override { return {Transfer::two_sided}; }

  std::shared_ptr<const Pattern> open(const std::string& text, const std::string& place) const override {
    return std::make_shared<NpbCg>(problem::npb_cg_class(text, place));
  }
  std::shared_ptr<const Pattern> open_recorded(const Run& run, const std::string& text,
                                               const std::string& trace) const override {
    refuse_text(*this, text, trace);
    return std::make_shared<NpbCg>(class_of(run.problem));
  }

  std::string describe(const Problem& problem) const override {
    const problem::NpbCgClass& of_class = class_of(problem);
    return fmt::format("class {}, {} rows", of_class.name, of_class.rows);
  }
  std::string case_of(const Problem& problem) const override { return "class " + class_of(problem).name; }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    const CgBlocks blocks(class_of(run.problem).rows, run.ranks);
    std::vector<std::int64_t> rows;
    for (int rank = 0; rank < run.ranks; ++rank)
      rows.push_back(blocks.summed(rank).length);
    return rows;
  }
  SharedElements shared_elements(const Run& /*run*/) const override { return {}; }
  /// The matrix: the block's nonzeros with their columns, and where each row begins. Vectors over the block's
  /// columns: x, z, p, q, r. Vectors over its rows: the product, and what is received to be added to it.
  std::vector<MemoryUse> arrays(const Run& run) const override {
    const problem::NpbCgClass& of_class = class_of(run.problem);
    const CgBlocks blocks(of_class.rows, run.ranks);
    MemoryUse matrix{"matrix", nonzeros_of_ranks(of_class, run.ranks)};
    MemoryUse vectors{"vectors", {}};
    for (int rank = 0; rank < run.ranks; ++rank) {
      std::int64_t& bytes = matrix.ranks_bytes[static_cast<std::size_t>(rank)];
      bytes = bytes * (double_bytes + index_bytes) + (blocks.rows(rank).length + 1) * double_bytes;
      vectors.ranks_bytes.push_back((5 * blocks.columns(rank).length + 2 * blocks.rows(rank).length) *
                                    double_bytes);
    }
    return {std::move(matrix), std::move(vectors)};
  }
  model::ElementWork element_work(const Problem& /*problem*/) const override {
    return {static_cast<double>(double_bytes + index_bytes), "sizeof(double) + sizeof(int)", "nonzeros"};
  }

 private:
  static const problem::NpbCgClass& class_of(const Problem& problem) {
    return problem::npb_cg_class(text_of(problem, "class"), "problem");
  }
};

}  // namespace

const PatternKind& npb_cg_pattern() {
  static const NpbCgKind kind;
  return kind;
}

}  // namespace finegrain::pattern
