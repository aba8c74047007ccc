// SPDX-License-Identifier: MIT
//
// Pattern "sobel": edges of an image of N x N ints. A pixel of E is computed from the eight pixels around it
// in O (Zhang & Seidel 2006, section 5.3):
//
//     #define B (N*N/THREADS)
//     shared [B] int O[N][N], E[N][N];
//     upc_forall (i = 1; i < N - 1; i++; &E[i][0])
//       for (j = 1; j < N - 1; j++) { d1 = O[i-1][j+1] - O[i-1][j-1]; ... E[i][j] = ...; }
//
// What an iteration reads twice counts once, as in the paper. Where THREADS does not divide N, the declared
// blocks cut rows in two, and a rank writes to others' pixels; the paper's text says that each rank has whole
// rows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sim/pattern/addressed_accesses.hpp"
#include "sim/pattern/memory_bytes.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::pattern {
namespace {

constexpr std::int64_t most_sobel_rows = 100'000;
constexpr std::int64_t sobel_accesses_of_pixel = 9;
constexpr std::int64_t sobel_page_bytes = 4096;  ///< after O, E begins at a multiple of this

/// Who owns which pixel.
class SobelImage {
 public:
  explicit SobelImage(const Run& run)
      : rows_(number_of(run.problem, "rows", 3, most_sobel_rows)),
        ranks_(run.ranks),
        whole_rows_(text_of(run.problem, "cut") == "rows"),
        block_(rows_ * rows_ / ranks_) {
    if (ranks_ > rows_) {
      throw InputError("problem",
                       fmt::format("{} for {}", format_count(rows_, "row"), format_count(ranks_, "rank")),
                       "Choose fewer ranks, or a larger image");
    }
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t first_row(std::int64_t rank) const { return rank * rows_ / ranks_; }
  std::int32_t owner(std::int64_t row, std::int64_t column) const {
    return static_cast<std::int32_t>(whole_rows_ ? (ranks_ * (row + 1) - 1) / rows_
                                                 : (row * rows_ + column) / block_ % ranks_);
  }
  /// Whether the row and the two beside it surely have one owner. May be false even if they have one.
  bool is_inside(std::int64_t row) const {
    return (whole_rows_ || 3 * rows_ <= block_) && owner(row - 1, 0) == owner(row + 1, rows_ - 1);
  }
  /// The address of a pixel in its owner's part of O or E, in bytes.
  std::int64_t address(std::int64_t row, std::int64_t column) const {
    const std::int64_t element = row * rows_ + column;
    if (whole_rows_) return (element - first_row(owner(row, column)) * rows_) * int_bytes;
    return (element / block_ / ranks_ * block_ + element % block_) * int_bytes;
  }
  std::int64_t owned(std::int64_t rank) const {
    if (whole_rows_) return (first_row(rank + 1) - first_row(rank)) * rows_;
    // The pixels that are left after one block for each rank are dealt out in the same order.
    std::int64_t pixels = 0;
    for (std::int64_t begin = rank * block_; begin < rows_ * rows_; begin += ranks_ * block_)
      pixels += std::min(block_, rows_ * rows_ - begin);
    return pixels;
  }
  /// Where E begins in a rank's memory.
  std::int64_t address_of_result(std::int64_t rank) const {
    return (owned(rank) * int_bytes + sobel_page_bytes - 1) / sobel_page_bytes * sobel_page_bytes;
  }

 private:
  std::int64_t rows_;
  std::int64_t ranks_;
  bool whole_rows_;
  std::int64_t block_;
};

/// Calls visit(row, column, writes) for all that a rank accesses, in program order; row and column are those
/// of O if it reads, and of E if it writes. For a row without accesses of other ranks it calls
/// own_row(pixels) instead.
template <class Visit, class OwnRow>
void for_each_sobel_access(const SobelImage& image, int rank, Visit&& visit, OwnRow&& own_row) {
  constexpr std::array<std::pair<int, int>, 8> around{
      {{-1, 1}, {-1, -1}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 0}, {1, 0}}};
  for (std::int64_t row = 1; row < image.rows() - 1; ++row) {
    if (image.owner(row, 0) != rank) continue;
    if (image.is_inside(row)) {
      own_row(image.rows() - 2);
      continue;
    }
    for (std::int64_t column = 1; column < image.rows() - 1; ++column) {
      for (const auto& [down, right] : around)
        visit(row + down, column + right, false);
      visit(row, column, true);
    }
  }
}

struct SobelAccesses {
  OwnAccesses own;
  std::int64_t remote_reads = 0;
  std::int64_t remote_writes = 0;
};

SobelAccesses sobel_accesses(const Run& run, int rank) {
  const SobelImage image(run);
  SobelAccesses counted;
  for_each_sobel_access(
      image, rank,
      [&](std::int64_t row, std::int64_t column, bool writes) {
        if (image.owner(row, column) == rank) {
          ++(writes ? counted.own.writes : counted.own.reads);
        } else {
          ++(writes ? counted.remote_writes : counted.remote_reads);
        }
      },
      [&](std::int64_t pixels) {
        counted.own.reads += pixels * (sobel_accesses_of_pixel - 1);
        counted.own.writes += pixels;
      });
  return counted;
}

class Sobel : public OwnAccessPattern {
 public:
  explicit Sobel(std::int64_t rows) : rows_(rows) {}

  std::string title() const override { return fmt::format("edges of a {0} x {0} image", rows_); }
  std::string name() const override { return fmt::format("{}", rows_); }

  Problem problem(int ranks, const Settings& given) const override {
    const auto cut = given.find("cut");
    Problem problem{"sobel", {{"rows", rows_}, {"cut", std::string("rows")}}};
    if (cut != given.end()) problem.settings["cut"] = cut->second;
    set_block_bytes(problem, given);
    const SobelImage checked({.problem = problem, .policy = "", .ranks = ranks});
    return problem;
  }

  OwnAccesses own_accesses(const Run& run, int rank) const override { return sobel_accesses(run, rank).own; }
  /// Ranks write to others if blocks end within a row.
  bool writes(const Run& run) const override {
    return text_of(run.problem, "cut") == "declared" && rows_ % run.ranks != 0;
  }

  /// An iteration is a pixel.
  std::optional<AccessLoop> loop(const Run& run, int rank, int /*stage*/) const override {
    const SobelImage image(run);
    std::int64_t rows = 0;
    for (std::int64_t row = 1; row < rows_ - 1; ++row)
      rows += image.owner(row, 0) == rank ? 1 : 0;
    const std::int64_t pixels = rows * (rows_ - 2);
    return AccessLoop{pixels, pixels * sobel_accesses_of_pixel};
  }
  bool is_regular() const override { return true; }

  void list(const Run& run, const OnAccess& visit) const override {
    const SobelImage image(run);
    for (int rank = 0; rank < run.ranks; ++rank) {
      std::int64_t accesses = 0;
      const auto list_one = [&](std::int64_t row, std::int64_t column, bool writes) {
        const std::int32_t owner = image.owner(row, column);
        const std::int64_t iteration = accesses++ / sobel_accesses_of_pixel;
        if (owner == rank) return;
        visit({.rank = rank,
               .owner = owner,
               .address = image.address(row, column) + (writes ? image.address_of_result(owner) : 0),
               .size_bytes = static_cast<std::int32_t>(int_bytes),
               .writes = writes,
               .iteration = iteration});
      };
      for_each_sobel_access(image, rank, list_one,
                            [&](std::int64_t pixels) { accesses += pixels * sobel_accesses_of_pixel; });
    }
  }

 private:
  std::int64_t rows_;
};

class SobelKind : public NumberedKind {
 public:
  SobelKind() : NumberedKind("rows", "rows", 3, most_sobel_rows) {}

  std::string name() const override { return "sobel"; }
  int order() const override { return 5; }
  std::string flag() const override { return "sobel"; }
  std::string flag_help() const override {
    return "Instead: edges of a square image of this many rows (docs/patterns.md)";
  }
  std::vector<Parameter> parameters() const override {
    return {
        {.name = "cut",
         .label = "",
         .help = "Sobel: each rank has whole rows (rows), or N*N/ranks pixels (declared), which cuts rows "
                 "where ranks do not divide N. Default: rows",
         .words = {"rows", "declared"}},
        block_bytes_parameter()};
  }
  bool has_writes() const override { return true; }

  std::string describe(const Problem& problem) const override {
    return fmt::format("{0} x {0} pixels, cut {1}", number_of(problem, "rows", 3), text_of(problem, "cut"));
  }
  std::string case_of(const Problem& problem) const override { return text_of(problem, "cut"); }
  std::vector<std::int64_t> elements_of_ranks(const Run& run) const override {
    const SobelImage image(run);
    std::vector<std::int64_t> pixels;
    for (int rank = 0; rank < run.ranks; ++rank)
      pixels.push_back(image.owned(rank));
    return pixels;
  }
  /// The partitions of the rank that reads most from others. The reads of O's three rows are one partition
  /// here, since they cost the same.
  std::vector<model::Partition> partitions(const Run& run,
                                           model::ReferencePattern unit_stride) const override {
    SobelAccesses most = sobel_accesses(run, 0);
    for (int rank = 1; rank < run.ranks; ++rank) {
      const SobelAccesses other = sobel_accesses(run, rank);
      if (other.remote_reads > most.remote_reads) most = other;
    }
    return {{.references = "E[i][j]",
             .writes = true,
             .local = most.own.writes,
             .remote = most.remote_writes,
             .remote_pattern = unit_stride},
            {.references = "O[i-1..i+1][j-1..j+1]",
             .local = most.own.reads,
             .remote = most.remote_reads,
             .remote_pattern = unit_stride}};
  }

 private:
  std::shared_ptr<const Pattern> of_number(std::int64_t number) const override {
    return std::make_shared<Sobel>(number);
  }
};

}  // namespace

const PatternKind& sobel_pattern() {
  static const SobelKind kind;
  return kind;
}

}  // namespace finegrain::pattern
