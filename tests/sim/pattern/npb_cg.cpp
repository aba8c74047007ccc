// SPDX-License-Identifier: MIT
//
// CG of the NAS Parallel Benchmarks: who sends how much.
#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "../../traces/transfer.hpp"
#include "kernels/problem/npb_cg_matrix.hpp"
#include "schedules.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using enum TransferKind;

namespace {

Schedule cg_schedule(const std::string& class_name, int ranks) {
  const auto pattern = pattern_kind("npb-cg").open(class_name, "--npb-cg");
  return make_schedule(*pattern, {.problem = pattern->problem(ranks, {}),
                                  .policy = "condensed",
                                  .transfer = Transfer::two_sided,
                                  .completion = Completion::together,
                                  .ranks = ranks});
}

std::int64_t sent_bytes(const Schedule& schedule) {
  std::int64_t bytes = 0;
  for (const Body& body : schedule.ranks)
    for (const Post& post : posts_of(body.operations))
      if (post.kind == send) bytes += post.size_bytes;
  return bytes;
}

constexpr std::int64_t products = 26;
constexpr std::int64_t sums = 1 + 25 * 2 + 1;  // those of one number, and one of two

}  // namespace

TEST_CASE("npb-cg: one rank sends nothing") {
  CHECK(sent_bytes(cg_schedule("S", 1)) == 0);
}

TEST_CASE("npb-cg: two ranks exchange half of the rows of each product, and transpose with themselves") {
  const Schedule schedule = cg_schedule("S", 2);
  // 1 x 2 blocks: each sends the other 700 of 1,400 doubles a product; its own block is its transposed one.
  CHECK(sent_bytes(schedule) == 2 * 8 * (products * 700 + sums + 2));
}

TEST_CASE("npb-cg: four ranks add up along rows of blocks, and two of them transpose") {
  const Schedule schedule = cg_schedule("S", 4);
  // 2 x 2 blocks of 700 x 700: one exchange of 700 doubles a product with the other of the row; ranks 1 and 2
  // are each other's transposed.
  CHECK(sent_bytes(schedule) == 8 * (4 * (products * 700 + sums + 2) + 2 * products * 700));
  const auto first = posts_of(schedule.ranks[1].operations);
  // The first sum, then the reduction and the transposition of the first product.
  REQUIRE(first.size() > 6);
  CHECK(first[0] == transfer(receive, 0, 8));
  CHECK(first[1] == transfer(send, 0, 8));
  CHECK(first[2] == transfer(receive, 0, 5600));
  CHECK(first[3] == transfer(send, 0, 5600));
  CHECK(first[4] == transfer(receive, 2, 5600));
  CHECK(first[5] == transfer(send, 2, 5600));
}

TEST_CASE("npb-cg: eight ranks halve the rows with their neighbour before they add up") {
  const auto posts = posts_of(cg_schedule("S", 8).ranks[3].operations);
  // 2 x 4 blocks of 700 x 350. Rank 3 is column 3 of row 0: sums with columns 1 and 2; halves with 2, then
  // adds up 350 doubles with 1; its transposed is 2 (1 / 2 * 2 + 1) + 1 = 5.
  std::vector<std::pair<int, std::int64_t>> sent;
  for (const Post& post : posts)
    if (post.kind == send && sent.size() < 5) sent.emplace_back(post.peer, post.size_bytes);
  CHECK(sent == std::vector<std::pair<int, std::int64_t>>{{1, 8}, {2, 8}, {2, 2800}, {1, 2800}, {5, 2800}});
}

TEST_CASE(
    "npb-cg: what one rank sends, the other receives, in the same order, also where rows do not divide") {
  for (const char* class_name : {"S", "W"}) {
    for (const int ranks : {1, 2, 4, 8, 16, 32, 64, 128}) {
      std::map<std::pair<int, int>, std::vector<std::int64_t>> sent;
      std::map<std::pair<int, int>, std::vector<std::int64_t>> received;
      const Schedule schedule = cg_schedule(class_name, ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        for (const Post& post : posts_of(schedule.ranks[static_cast<std::size_t>(rank)].operations)) {
          if (post.kind == send) sent[{rank, post.peer}].push_back(post.size_bytes);
          if (post.kind == receive) received[{post.peer, rank}].push_back(post.size_bytes);
        }
      }
      CAPTURE(class_name, ranks);
      CHECK(sent == received);
    }
  }
}

TEST_CASE("npb-cg: the blocks of all ranks have the nonzeros of the matrix, whatever the ranks") {
  // The only work that depends on the blocks' nonzeros is the products', 12 bytes each.
  const auto nonzero_bytes = [](int ranks) {
    const auto pattern = pattern_kind("npb-cg").open("S", "");
    const Run run{.problem = pattern->problem(ranks, {}), .policy = "", .ranks = ranks};
    const auto stages = pattern->exchanges(run, {});
    std::int64_t bytes = 0;
    std::int64_t log_columns = 0;
    while (1 << (2 * log_columns) < ranks)
      ++log_columns;
    for (const RankExchange& rank : stages[static_cast<std::size_t>(1 + log_columns)].ranks)
      bytes += rank.work->memory_bytes;
    // The work on w and p: each rank's rows are written, its columns read.
    const std::int64_t columns = 1 << log_columns;
    const std::int64_t rows = ranks / columns;
    return bytes - 8 * 1400 * (columns + rows);
  };
  // 78,148: counted by the generator of NPB 3.3.
  for (const int ranks : {1, 2, 4, 8, 16})
    CHECK(nonzero_bytes(ranks) == 12 * 78'148);
}

TEST_CASE("npb-cg: a rank's block has the nonzeros of its rows and columns") {
  const problem::NpbCgMatrix matrix(problem::npb_cg_class("S", ""));
  problem::NpbCgMatrix::Rows rows(matrix);
  // 8 ranks are 2 x 4 blocks of 700 x 350. Each nonzero is 12 bytes, and each row begins somewhere.
  std::vector<std::int64_t> bytes(8, 701 * 8);
  for (std::int64_t row = 0; row < 1400; ++row)
    for (const std::int32_t column : rows.columns(row))
      bytes[static_cast<std::size_t>(row / 700 * 4 + column / 350)] += 12;
  const auto pattern = pattern_kind("npb-cg").open("S", "");
  const Run run{.problem = pattern->problem(8, {}), .policy = "", .ranks = 8};
  CHECK(pattern_kind(run).arrays(run).front().ranks_bytes == bytes);
}

TEST_CASE("npb-cg: other ranks than powers of two, and other classes, are refused") {
  CHECK_THROWS_AS(cg_schedule("S", 3), InputError);
  CHECK_THROWS_AS(cg_schedule("E", 4), InputError);
}
