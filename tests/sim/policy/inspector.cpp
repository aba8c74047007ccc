// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "../replay/replay_both_ways.hpp"
#include "../replay/small_platform.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/graph/traffic.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/policy/variant.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::graph;
using namespace finegrain::model;
using namespace finegrain::pattern;
using namespace finegrain::platform;
using namespace finegrain::policy;
using namespace finegrain::problem;

namespace {

constexpr std::int64_t all_rows = 1'000'000'000;

/// Ranks 0 and 1 own the elements {0 1 2} and {3 4 5}. In parentheses what the other rank owns.
const test::MatrixPattern six_rows{6,
                                   3,
                                   {3, 3, 1,    // row 0: (3) (3)
                                    4, 3, 5,    // row 1: (4) (3) (5)
                                    0, 1, 2,    // row 2
                                    3, 4, 5,    // row 3
                                    0, 4, 4,    // row 4: (0)
                                    0, 0, 2}};  // row 5: (0) (0) (2)

struct Way {
  std::int64_t window = 1;
  Completion completion = Completion::together;
  std::string form = "vector";
  std::string inline_checks = "yes";
};

Run run_of(const test::MatrixPattern& matrix, const Way& way, int ranks, std::int64_t block_size,
           int ranks_per_node = 1) {
  return {
      .problem = SpmvProblem{"", "", matrix.rows, matrix.r_nz, block_size},
      .policy = "inspector",
      .policy_settings = {{"window", way.window}, {"form", way.form}, {"inline-checks", way.inline_checks}},
      .transfer = Transfer::get,
      .completion = way.completion,
      .ranks = ranks,
      .ranks_per_node = ranks_per_node};
}

Body first_rank(const Way& way) {
  return spmv_schedule(six_rows.view(), run_of(six_rows, way, 2, 3)).ranks[0];
}

/// What a body does, in a letter an operation: w(ork), g(et), p(ut), c(omplete), b(arrier).
std::string steps_of(const Body& body) {
  std::string steps;
  for (const Operation& operation : body.operations) {
    if (std::holds_alternative<Work>(operation)) steps += 'w';
    if (std::holds_alternative<Complete>(operation)) steps += 'c';
    if (std::holds_alternative<Collective>(operation)) steps += 'b';
    if (const auto* post = std::get_if<Post>(&operation))
      steps += post->kind == TransferKind::get ? 'g' : 'p';
  }
  return steps;
}

std::vector<Work> works(const Body& body) {
  std::vector<Work> all;
  for (const Operation& operation : body.operations)
    if (const auto* work = std::get_if<Work>(&operation)) all.push_back(*work);
  return all;
}

/// Messages and bytes of each peer.
std::map<int, std::pair<std::int64_t, std::int64_t>> got(const Body& body) {
  std::map<int, std::pair<std::int64_t, std::int64_t>> peers;
  for_each_post(body.operations, [&](const Post& post) {
    CHECK(post.kind == TransferKind::get);
    peers[post.peer].first += post.repeat;
    peers[post.peer].second += post.repeat * post.size_bytes;
  });
  return peers;
}

struct Case {
  test::MatrixPattern matrix;
  int ranks;
  std::int64_t block_size;
};

/// One block a rank and many, an uneven last block, ranks without rows, one rank.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& matrix : {test::banded_pattern(331, 4, 40, 3), test::random_pattern(211, 3, 1)})
    for (const std::int64_t block_size : {3, 16, 48})
      for (const int ranks : {1, 5, 12})
        all.push_back({matrix, ranks, block_size});
  return all;
}

std::vector<Body> bodies_of(const Case& of, const Way& way) {
  return spmv_schedule(of.matrix.view(), run_of(of.matrix, way, of.ranks, of.block_size)).ranks;
}

Volume all_of(const std::vector<Body>& ranks) {
  Volume all;
  for (const Body& body : ranks)
    for (const auto& [peer, volume] : got(body))
      all += Volume{volume.first, volume.second};
  return all;
}

/// An accesses file that lives as long as the test.
class AccessesFile {
 public:
  explicit AccessesFile(const std::string& lines)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("finegrain-inspector-{}.csv", ::getpid())) {
    std::ofstream(path_) << lines;
  }
  ~AccessesFile() { std::filesystem::remove(path_); }
  AccessesFile(const AccessesFile&) = delete;
  AccessesFile& operator=(const AccessesFile&) = delete;

  Schedule schedule(const Way& way) const {
    const auto pattern = pattern_kind("accesses").open(path_.string(), "--accesses");
    Run run = run_of(six_rows, way, *pattern->ranks({}), 1);
    run.problem = pattern->problem(run.ranks, {});
    return make_schedule(*pattern, run);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("inspector policy: each window fetches what it needs of each owner once, in one message") {
  // Row 0 reads element 3; row 1 reads 3, 4 and 5; row 2 none. Inspected, got, waited for, executed.
  const Body by_row = first_rank({.window = 1});
  CHECK(steps_of(by_row) ==
        "wgcw"
        "wgcw"
        "ww"
        "bb");
  CHECK(got(by_row).at(1) == std::pair<std::int64_t, std::int64_t>{2, (1 + 3) * 8});
  // Rows 0 and 1 together, and row 2.
  const Body by_two = first_rank({.window = 2});
  CHECK(steps_of(by_two) ==
        "wgcw"
        "ww"
        "bb");
  CHECK(got(by_two).at(1) == std::pair<std::int64_t, std::int64_t>{1, 3 * 8});
}

TEST_CASE("inspector policy: overlapped, the next window is asked for before a window is executed") {
  const Body body = first_rank({.window = 1, .completion = Completion::overlapped});
  CHECK(steps_of(body) ==
        "wgc"
        "wgwc"
        "ww"
        "w"
        "bb");
  const std::vector<Work> all = works(body);
  REQUIRE(all.size() == 6);
  // Inspected: rows 0 and 1. Row 0 finds 2 elements of 1. Inspected: row 2. Row 1 finds 3 of 3; row 2 none.
  CHECK(all[2].calls == 2);
  CHECK(all[4].calls == 3);
  CHECK(all[4].steps == 3 * 2);
  CHECK(all[5].calls == 0);
}

TEST_CASE("inspector policy: work is the indices read, calls, and steps of sorting and searching") {
  const auto of = [](const std::string& form, const std::string& inline_checks) {
    const Body body = first_rank({.window = all_rows, .form = form, .inline_checks = inline_checks});
    const std::vector<Work> all = works(body);
    REQUIRE(all.size() == 2);
    return std::pair(all[0], all[1]);
  };
  const std::int64_t row_bytes = 3 * 12 + 24;
  // 9 indices; 5 of them are the other rank's, of 3 distinct elements, which 2 comparisons find.
  const auto [inspect, compute] = of("vector", "yes");
  CHECK(inspect == Work{.memory_bytes = 9 * 4, .calls = 1, .steps = 3 * 2});
  CHECK(compute == Work{.memory_bytes = 3 * row_bytes, .calls = 5, .steps = 5 * 2});
  CHECK(of("calls", "yes").first == Work{.memory_bytes = 9 * 4, .calls = 5, .steps = 3 * 2});
  // Without the checks own elements are added and looked for too, but neither sorted nor fetched.
  CHECK(of("calls", "no").first == Work{.memory_bytes = 9 * 4, .calls = 9, .steps = 3 * 2});
  CHECK(of("vector", "no").first == inspect);
  CHECK(of("vector", "no").second == Work{.memory_bytes = 3 * row_bytes, .calls = 9, .steps = 5 * 2});
}

TEST_CASE("inspector policy: a window of all rows fetches what condensed's messages bring") {
  for (const Case& each : cases()) {
    const auto counts =
        count_accesses(each.matrix.view(), layout_of(run_of(each.matrix, {}, each.ranks, each.block_size)));
    for (const Completion completion : {Completion::together, Completion::overlapped}) {
      const std::vector<Body> bodies = bodies_of(each, {.window = all_rows, .completion = completion});
      for (std::size_t rank = 0; rank < bodies.size(); ++rank) {
        std::map<int, std::pair<std::int64_t, std::int64_t>> needs;
        for (const PeerCounts& need : counts[rank].needs)
          needs[need.peer] = {1, need.values * 8};
        CHECK(got(bodies[rank]) == needs);
      }
    }
  }
}

TEST_CASE(
    "inspector policy: a window of one row sends a message an owner of its row, no more bytes than "
    "accesses") {
  for (const Case& each : cases()) {
    const Run run = run_of(each.matrix, {}, each.ranks, each.block_size);
    const Distribution distribution = layout_of(run).distribution;
    std::int64_t messages = 0;
    std::int64_t accesses = 0;
    for (std::int64_t row = 0; row < each.matrix.rows; ++row) {
      std::map<int, int> of_owner;
      for (int entry = 0; entry < each.matrix.r_nz; ++entry)
        ++of_owner[distribution.owner(
            each.matrix.columns[static_cast<std::size_t>(row * each.matrix.r_nz + entry)])];
      of_owner.erase(distribution.owner(row));
      messages += static_cast<std::int64_t>(of_owner.size());
      for (const auto& [owner, count] : of_owner)
        accesses += count;
    }
    const Volume found = all_of(bodies_of(each, {.window = 1}));
    CHECK(found.messages == messages);
    CHECK(found.bytes <= accesses * 8);
  }
}

TEST_CASE("inspector policy: twice the window never fetches more messages or bytes") {
  for (const Case& each : cases()) {
    Volume before = all_of(bodies_of(each, {.window = 1}));
    for (std::int64_t window = 2; window < 1024; window *= 2) {
      const Volume now = all_of(bodies_of(each, {.window = window}));
      CHECK(now.messages <= before.messages);
      CHECK(now.bytes <= before.bytes);
      before = now;
    }
  }
}

TEST_CASE("inspector policy: whatever the window and the overlap, a rank computes all of its rows") {
  for (const Case& each : cases()) {
    const auto bytes_of = [&](const Way& way) {
      std::vector<std::int64_t> bytes;
      for (const Body& body : bodies_of(each, way))
        bytes.push_back(memory_bytes(body.operations));
      return bytes;
    };
    const auto expected = bytes_of({.window = all_rows});
    for (const std::int64_t window : {1, 7, 64})
      for (const Completion completion : {Completion::together, Completion::overlapped})
        CHECK(bytes_of({.window = window, .completion = completion}) == expected);
  }
}

TEST_CASE("inspector policy: simulated, calls and steps cost their time, and windows follow one another") {
  SmallPlatform platform(switched(2));
  platform.costs().memory_bandwidth_bytes_per_s = 1e18;
  platform.costs().memory_bandwidth_per_core_bytes_per_s = 1e18;
  platform.costs().message_overhead_s = 5e-6;
  platform.costs().call_s = 1e-3;
  platform.costs().search_step_s = 1e-4;
  const auto seconds = [&](const Way& way) {
    return replay_both_ways(spmv_schedule(six_rows.view(), run_of(six_rows, way, 2, 3)), *platform)
        .ranks[0]
        .finish_s;
  };
  // 1 MB/s and no latency. Rank 0 calls 1 + 5 times, sorts and finds in 6 + 10 steps, and gets 24 bytes.
  const double first = 6e-3 + 16e-4 + 5e-6 + 24e-6;
  // Rank 1 reads elements 0 (3 times) and 2: it sorts 2 elements and finds 4 references in a step each.
  const double second = (1 + 4) * 1e-3 + (2 + 4) * 1e-4 + 5e-6 + 16e-6;
  // Two barriers, of a message each.
  CHECK(seconds({.window = all_rows}) == Approx(std::max(first, second) + 2 * 5e-6).epsilon(1e-6));
}

TEST_CASE("inspector policy: both simulations agree, overlapped or not") {
  SmallPlatform platform(switched(4, "3us"));
  platform.costs().local_latency_s = 1e-6;
  platform.costs().message_overhead_s = 5e-6;
  platform.costs().call_s = 2e-8;
  platform.costs().search_step_s = 1e-9;
  const test::MatrixPattern matrix = test::banded_pattern(331, 4, 40, 3);
  for (const Completion completion : {Completion::together, Completion::overlapped}) {
    Schedule schedule =
        spmv_schedule(matrix.view(), run_of(matrix, {.window = 11, .completion = completion}, 15, 8, 4));
    schedule.run.iterations = 3;
    replay_both_ways(schedule, *platform);
  }
}

TEST_CASE(
    "inspector policy: of an accesses file a window ends at a sequence point, and writes follow its work") {
  // Rank 0 reads the same 8 bytes of rank 1 twice and 16 others, writes 8, and reads again after the point.
  const AccessesFile file(
      "0,1,0,8,read,0\n0,1,0,8,read,0\n0,1,8,16,read,0\n0,1,64,8,write,0\n0,1,0,8,read,1\n");
  const Body body = file.schedule({.window = all_rows}).ranks[0];
  CHECK(steps_of(body) ==
        "wgcwpcb"
        "wgcwb");
  std::vector<std::pair<TransferKind, std::int64_t>> posted;
  for_each_post(body.operations, [&](const Post& post) { posted.emplace_back(post.kind, post.size_bytes); });
  CHECK(posted == std::vector<std::pair<TransferKind, std::int64_t>>{
                      {TransferKind::get, 8 + 16}, {TransferKind::put, 8 + 8}, {TransferKind::get, 8}});
}

TEST_CASE("inspector policy: the compact form is refused where places follow from data") {
  CHECK_THROWS_WITH(first_rank({.window = 2, .form = "compact"}),
                    Catch::Matchers::Contains("form compact needs places that follow from the iteration"));
  CHECK_THROWS_AS(first_rank({.window = 2, .form = "descriptors"}), InputError);
  CHECK_THROWS_AS(first_rank({.window = 0}), InputError);
}

TEST_CASE("inspector policy: the closed form of two ranks on two nodes, computed by hand") {
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 50;
  costs.memory_bandwidth_per_core_bytes_per_s = 50;
  costs.tau_s = 3;
  costs.remote_bandwidth_bytes_per_s = 16;
  costs.call_s = 0.5;
  costs.search_step_s = 0.25;
  const auto pattern = spmv_of(six_rows.view());
  const Run run = run_of(six_rows, {.window = 1}, 2, 3);
  const Placement placement(2, 1);
  const auto counts = policy::counts_of(*pattern, {&run, 1}, {&placement, 1}, 1).front();
  const auto prediction = predict(run, counts, costs);
  REQUIRE(prediction);
  // Rank 0: 9 indices, 3 windows that call once, 5 elements found; 3 elements sorted and found by 2 steps
  // each in row 1; 2 messages of 1 and 3 values; 3 rows.
  const double first = 9 * 4 / 50. + (3 + 5) * 0.5 + (3 * 2 + 3 * 2) * 0.25 + 2 * 3 + (1 + 3) * 8 / 16. +
                       3 * (3 * 12 + 24) / 50.;
  // Rank 1: rows 4 and 5 read elements 0, and 0 and 2.
  const double second = 9 * 4 / 50. + (3 + 4) * 0.5 + (2 * 1 + 3 * 1) * 0.25 + 2 * 3 + (1 + 2) * 8 / 16. +
                        3 * (3 * 12 + 24) / 50.;
  CHECK(prediction->total_s == Approx(std::max(first, second)));
  CHECK(prediction->rank == 0);
  // What rank 0 gets of rank 1: the same messages.
  const auto between = counts_with_peer(run, counts, ClosedForm::as_published, placement, 0, 1);
  const Formula formula = formula_of(run, counts, ClosedForm::as_published, placement);
  for (std::size_t term = 0; term < formula.terms.size(); ++term)
    if (formula.terms[term].part == "remote") CHECK(between[term] == formula.terms[term].counts[0]);
}
