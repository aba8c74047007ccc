// SPDX-License-Identifier: MIT
#include "sim/policy/memory.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "../pattern/patterns.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/policy/variant.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;
using Bytes = std::vector<std::int64_t>;

namespace {

/// Ranks 0 and 1 own the elements {0 1 2} and {3 4 5}. In parentheses what the other rank owns.
const test::MatrixPattern six_rows{6,
                                   3,
                                   {3, 3, 1,    // row 0: (3) (3)
                                    4, 3, 5,    // row 1: (4) (3) (5)
                                    0, 1, 2,    // row 2
                                    3, 4, 5,    // row 3
                                    0, 4, 4,    // row 4: (0)
                                    0, 0, 2}};  // row 5: (0) (0) (2)

Run run_of(const Variant& variant, int ranks_per_node = 2) {
  return {.problem = SpmvProblem{"", "", six_rows.rows, six_rows.r_nz, 3},
          .policy = variant.policy,
          .policy_settings = variant.settings,
          .transfer = variant.transfer,
          .completion = variant.completion,
          .ranks = 2,
          .ranks_per_node = ranks_per_node};
}

/// What a policy keeps beside the arrays, shape [ranks] each.
std::map<std::string, Bytes> kept_by(const Variant& variant, int ranks_per_node = 2) {
  const Run run = run_of(variant, ranks_per_node);
  std::map<std::string, Bytes> kept;
  for (const MemoryUse& use : memory_of(run, count_accesses(six_rows.view(), layout_of(run))))
    kept[use.what] = use.ranks_bytes;
  for (const auto& [array, bytes] : std::map<std::string, std::int64_t>{
           {"x", 3 * 8}, {"y", 3 * 8}, {"D", 3 * 8}, {"A", 3 * 3 * 8}, {"J", 3 * 3 * 4}}) {
    CHECK(kept.at(array) == Bytes{bytes, bytes});
    kept.erase(array);
  }
  return kept;
}

const Variant condensed{"condensed", Transfer::two_sided, Completion::together};
const Variant compact{"condensed", Transfer::two_sided, Completion::together, {{"copy", "compact"}}};

}  // namespace

TEST_CASE("memory: condensed keeps x on every rank, a buffer and a list of what it sends and receives") {
  // Rank 0 receives elements 3, 4 and 5, rank 1 receives 0 and 2.
  CHECK(kept_by(condensed) == std::map<std::string, Bytes>{{"copy of x", {6 * 8, 6 * 8}},
                                                           {"message buffers", {(3 + 2) * 8, (2 + 3) * 8}},
                                                           {"lists", {(3 + 2) * 4, (2 + 3) * 4}}});
}

TEST_CASE("memory: compact keeps the others' elements behind x and behind y, instead of a copy of x") {
  CHECK(kept_by(compact) ==
        std::map<std::string, Bytes>{{"others' elements in x and y", {2 * 3 * 8, 2 * 2 * 8}},
                                     {"message buffers", {(3 + 2) * 8, (2 + 3) * 8}},
                                     {"lists", {(3 + 2) * 4, (2 + 3) * 4}}});
}

TEST_CASE("memory: single accesses keep nothing, blocks a copy, caches their lines, windows their elements") {
  CHECK(kept_by({"naive", Transfer::get, Completion::each}).empty());
  CHECK(kept_by({"individual", Transfer::get, Completion::each}).empty());
  CHECK(kept_by({"block", Transfer::get, Completion::each}) ==
        std::map<std::string, Bytes>{{"copy of x", {6 * 8, 6 * 8}}});
  const Settings lines{{"line", std::int64_t{16}}, {"lines", std::int64_t{4}}, {"victim", std::int64_t{1}}};
  CHECK(kept_by({"cached", Transfer::get, Completion::each, lines}) ==
        std::map<std::string, Bytes>{{"caches", {(4 + 1) * 16, (4 + 1) * 16}}});
  // Two windows of 2 rows, of 3 references each; a window has no more rows than the rank.
  for (const auto& [window, rows] : {std::pair<std::int64_t, std::int64_t>(2, 2), {100, 3}})
    CHECK(kept_by({"inspector", Transfer::get, Completion::overlapped, {{"window", window}}}) ==
          std::map<std::string, Bytes>{
              {"buffers of windows", {2 * rows * 3 * (8 + 8), 2 * rows * 3 * (8 + 8)}}});
}

TEST_CASE("memory: node-aware keeps what each of its rounds sends and receives") {
  // On a node each, a rank sends its own part as it is packed, and keeps what arrives once more, scattered.
  CHECK(kept_by({"node-aware", Transfer::two_sided, Completion::together}, 1) ==
        std::map<std::string, Bytes>{{"copy of x", {6 * 8, 6 * 8}},
                                     {"message buffers", {(2 + 3 + 3) * 8, (3 + 2 + 2) * 8}},
                                     // packed, scattered, unpacked
                                     {"lists", {(2 + 3 + 3) * 4, (3 + 2 + 2) * 4}}});
}

TEST_CASE("memory: 16 copies of test problem 1 are 871.8 MB, and are known without counting accesses") {
  const Run run{.problem = SpmvProblem{"", "", 6810586, 16, 65536},
                .policy = "condensed",
                .transfer = Transfer::put,
                .completion = Completion::each,
                .ranks = 16,
                .ranks_per_node = 16};
  const std::vector<MemoryUse> uses = memory_of(run, {});
  const auto copies = std::ranges::find(uses, "copy of x", &MemoryUse::what);
  CHECK(bytes_of_nodes({&*copies, 1}, Placement(16, 16)) == Bytes{16LL * 8 * 6810586});
  CHECK(bytes_of_nodes({&*copies, 1}, Placement(16, 4)) == Bytes(4, 4LL * 8 * 6810586));
  // x, y and D, 16 entries of A and 16 of J a row.
  CHECK(bytes_of_nodes(uses, Placement(16, 16)) ==
        Bytes{16LL * 8 * 6810586 + 6810586LL * (3 * 8 + 16 * 8 + 16 * 4)});
}

TEST_CASE("memory: a node that has as much as its ranks need has enough, and one byte less is too little") {
  platform::Platform platform{.file = {}, .name = "small", .costs = {}};
  const Run run = run_of(condensed);
  const std::vector<RankCounts> counts = count_accesses(six_rows.view(), layout_of(run));
  const Placement placement(2, 2);
  CHECK(too_little_memory(run, counts, placement, platform).empty());
  const double needed = 2 * (3 * (3 * 8 + 3 * 8 + 3 * 4) + 6 * 8 + 5 * 8 + 5 * 4);
  platform.costs.memory_size_bytes = needed;
  CHECK(too_little_memory(run, counts, placement, platform).empty());
  platform.costs.memory_size_bytes = needed - 1;
  CHECK(too_little_memory(run, counts, placement, platform) ==
        "spmv condensed two-sided on 2 ranks needs 5.76e-07 GB of memory on a node, and small has 5.75e-07 "
        "GB");
  CHECK(too_little_memory(run, {}, placement, platform).empty());
  CHECK(too_little_memory(run, counts, Placement(2, 1), platform).empty());
}
