// SPDX-License-Identifier: MIT
//
// The programs of Zhang & Seidel 2006: what each rank accesses of others.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "../../traces/transfer.hpp"
#include "schedules.hpp"
#include "sim/pattern/addressed_accesses.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using Messages = std::vector<Post>;
using enum TransferKind;

namespace {

struct Opened {
  std::shared_ptr<const Pattern> pattern;
  Run run;

  const AddressedPattern& addressed() const { return dynamic_cast<const AddressedPattern&>(*pattern); }
  Schedule schedule(const std::string& policy, Transfer transfer, Completion completion) const {
    Run chosen = run;
    chosen.policy = policy;
    chosen.transfer = transfer;
    chosen.completion = completion;
    return make_schedule(*pattern, chosen);
  }
};

Opened open(const std::string& name, const std::string& size, int ranks, const Settings& settings = {}) {
  const auto pattern = pattern_kind(name).open(size, "--" + name);
  return {pattern, {.problem = pattern->problem(ranks, settings), .policy = "", .ranks = ranks}};
}

struct Counted {
  std::int64_t reads = 0;
  std::int64_t writes = 0;
};

/// Accesses of other ranks' memory, by each rank.
std::vector<Counted> count(const Opened& opened) {
  std::vector<Counted> ranks(static_cast<std::size_t>(opened.run.ranks));
  opened.pattern->accesses(opened.run, [&](int rank, int stage, std::span<const Access> accesses) {
    CHECK(stage == 0);
    for (const Access& access : accesses) {
      Counted& of_rank = ranks[static_cast<std::size_t>(rank)];
      ++(access.writes ? of_rank.writes : of_rank.reads);
    }
  });
  return ranks;
}

}  // namespace

TEST_CASE("sobel: a rank reads the rows above and below its own") {
  const auto two = count(open("sobel", "2000", 2));
  CHECK(two[0].reads == 3 * 1998);
  CHECK(two[1].reads == 3 * 1998);
  const auto twelve = count(open("sobel", "2000", 12));
  CHECK(twelve[0].reads == 3 * 1998);
  for (std::size_t middle = 1; middle < 11; ++middle)
    CHECK(twelve[middle].reads == 2 * 3 * 1998);
  for (const Counted& rank : twelve)
    CHECK(rank.writes == 0);
}

TEST_CASE("sobel: blocks as declared cut rows in two, so that ranks also write to others") {
  // 12 ranks have 333,333 pixels each, 166 rows and 1,333 pixels.
  const auto twelve = count(open("sobel", "2000", 12, {{"cut", "declared"}}));
  std::int64_t most_reads = 0;
  std::int64_t most_writes = 0;
  for (const Counted& rank : twelve) {
    most_reads = std::max(most_reads, rank.reads);
    most_writes = std::max(most_writes, rank.writes);
  }
  CHECK(most_reads == 16'661);
  CHECK(most_writes == 1'336);
  // Blocks of whole rows are the same cut.
  const auto declared = count(open("sobel", "12", 4, {{"cut", "declared"}}));
  const auto rows = count(open("sobel", "12", 4));
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(declared[rank].reads == rows[rank].reads);
    CHECK(declared[rank].writes == 0);
  }
}

TEST_CASE("sobel: each pixel inside is eight reads and a write, of its own part or another's") {
  for (const char* cut : {"rows", "declared"}) {
    const Opened opened = open("sobel", "11", 3, {{"cut", cut}});
    Counted all;
    for (const Counted& rank : count(opened)) {
      all.reads += rank.reads;
      all.writes += rank.writes;
    }
    std::int64_t own_writes = 0;
    std::int64_t own_bytes = 0;
    for (int rank = 0; rank < 3; ++rank) {
      own_writes += opened.pattern->work(opened.run, rank, 0).scattered_stores;
      own_bytes += opened.pattern->work(opened.run, rank, 0).memory_bytes;
    }
    CHECK(own_writes + all.writes == 9 * 9);
    CHECK(own_bytes == 8 * (9 * 9 * 9 - all.reads - all.writes));
  }
}

TEST_CASE("sobel: condensed moves each pixel of the rows beside once") {
  const Schedule schedule =
      open("sobel", "12", 3).schedule("condensed", Transfer::two_sided, Completion::together);
  // All 12 ints of a row are read: column 0 by pixel 1, column 11 by pixel 10.
  CHECK(messages_of(schedule.ranks[1]) == Messages{transfer(receive, 0, 48), transfer(receive, 2, 48),
                                                   transfer(send, 0, 48), transfer(send, 2, 48)});
}

TEST_CASE("sobel: what cannot be cut is refused") {
  CHECK_THROWS_AS(open("sobel", "2", 1), InputError);
  CHECK_THROWS_AS(open("sobel", "x", 1), InputError);
  CHECK_THROWS_AS(open("sobel", "10", 11), InputError);
}

TEST_CASE("matmul: the share of B that others own is read, N^3 / ranks times") {
  for (const char* striping : {"cyclic", "block"}) {
    const Opened opened = open("matmul", "24", 4, {{"striping", striping}});
    for (const Counted& rank : count(opened)) {
      CHECK(rank.reads == 24 * 24 * 24 / 4 * 3 / 4);
      CHECK(rank.writes == 0);
    }
    const Work work = opened.pattern->work(opened.run, 0, 0);
    CHECK(work.scattered_stores == 24 * 24 * 24 / 4);
    CHECK(work.memory_bytes == 8 * (24 * 24 * 24 / 4 * 3 + 24 * 24 * 24 / 4 / 4));
    CHECK(opened.pattern->problem(4, opened.run.problem.settings) == opened.run.problem);
  }
}

TEST_CASE("matmul: a column of cyclic B is read through, then one of the next rank") {
  const Schedule schedule = open("matmul", "6", 3).schedule("individual", Transfer::get, Completion::each);
  Messages expected;
  for (int row = 0; row < 2; ++row)
    for (const int owner : {1, 2, 1, 2})
      expected.push_back(transfer(load, owner, 8, 6));
  CHECK(messages_of(schedule.ranks[0]) == expected);
  const Schedule in_blocks =
      open("matmul", "6", 3, {{"striping", "block"}}).schedule("individual", Transfer::get, Completion::each);
  CHECK(messages_of(in_blocks.ranks[0]) == Messages{transfer(load, 1, 8, 12), transfer(load, 2, 8, 12),
                                                    transfer(load, 1, 8, 12), transfer(load, 2, 8, 12)});
}

TEST_CASE("matmul: B of 240 x 240 lies in 38 blocks of 1024 bytes on each of 12 ranks") {
  for (const char* striping : {"cyclic", "block"}) {
    const Schedule schedule =
        open("matmul", "240", 12, {{"striping", striping}, {"block-bytes", std::int64_t{1024}}})
            .schedule("block", Transfer::get, Completion::each);
    // 240 * 20 * 8 bytes / 1024 = 37.5; 11 other ranks.
    CHECK(messages_of(schedule.ranks[5]).size() == 38 * 11);
  }
}

TEST_CASE("matmul: addresses fill each owner's part of B, once each") {
  for (const char* striping : {"cyclic", "block"}) {
    const Opened opened = open("matmul", "12", 3, {{"striping", striping}});
    std::map<int, std::set<std::int64_t>> addresses;
    opened.addressed().list(opened.run, [&](const AddressedAccess& access) {
      if (access.rank == 0) addresses[access.owner].insert(access.address);
    });
    CHECK(addresses.size() == 2);
    for (const auto& [owner, of_owner] : addresses) {
      CHECK(of_owner.size() == 12 * 4);
      CHECK(*of_owner.begin() == 0);
      CHECK(*of_owner.rbegin() == 8 * (12 * 4 - 1));
    }
  }
}

TEST_CASE("matmul: ranks that do not divide the rows are refused") {
  CHECK_THROWS_AS(open("matmul", "10", 3), InputError);
}

TEST_CASE("histogram: each increment is a read and a write, of another rank most often") {
  const Opened opened = open("histogram", "10000", 4, {{"percent", std::int64_t{30}}});
  std::int64_t remote = 0;
  const auto ranks = count(opened);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(ranks[rank].reads == ranks[rank].writes);
    const Work own = opened.pattern->work(opened.run, static_cast<int>(rank), 0);
    CHECK(ranks[rank].reads + own.scattered_stores == 3000);
    CHECK(own.memory_bytes == 16 * own.scattered_stores);
    remote += ranks[rank].reads;
  }
  // 9,000 of 12,000 are expected; the standard deviation is sqrt(12000 * 3/4 * 1/4) = 47.
  CHECK(std::abs(remote - 9000) < 5 * 47);
}

TEST_CASE(
    "histogram: an increment is a load and a store, or a load and a put that is waited for at the end") {
  const Opened opened = open("histogram", "100", 2, {{"percent", std::int64_t{10}}});
  const Schedule each = opened.schedule("individual", Transfer::get, Completion::each);
  const Schedule together = opened.schedule("individual", Transfer::get, Completion::together);
  for (int rank = 0; rank < 2; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    const std::int64_t own = opened.pattern->work(opened.run, rank, 0).scattered_stores;
    REQUIRE(own < 10);
    Messages expected;
    for (std::int64_t update = own; update < 10; ++update) {
      expected.push_back(transfer(load, 1 - rank, 4));
      expected.push_back(transfer(store, 1 - rank, 4));
    }
    CHECK(messages_of(each.ranks[index]) == expected);
    for (const Post& post : posts_of(together.ranks[index].operations)) {
      CHECK(post.kind == (post.blocking ? load : put));
      CHECK(post.size_bytes == 4);
    }
    CHECK(count_posts(together.ranks[index].operations) == count_posts(each.ranks[index].operations));
  }
  const Body& body = together.ranks.front();
  REQUIRE(body.regions.size() == 3);
  CHECK(body.regions[0].name == regions::compute);
  CHECK(body.regions[1].name == regions::wait);
  CHECK(body.regions[2].name == regions::barrier);
  CHECK(std::get<Complete>(body.operations_of(body.regions[1]).front()).is_all());
}

TEST_CASE("microbenchmarks: all but the local one access other ranks' words, so many times") {
  for (const char* name : {"baseline", "vector", "coalesce", "local"}) {
    for (const char* access : {"read", "write"}) {
      const auto pattern = pattern_kind(name).open("1000", "");
      const Run run{.problem = pattern->problem(3, {{"access", access}}), .policy = "", .ranks = 3};
      const bool writes = access == std::string("write");
      const bool is_local = name == std::string("local");
      const auto ranks = count({pattern, run});
      for (std::size_t rank = 0; rank < 3; ++rank) {
        CAPTURE(name, access, rank);
        CHECK(ranks[rank].reads == (writes || is_local ? 0 : 1000));
        CHECK(ranks[rank].writes == (writes && !is_local ? 1000 : 0));
        CHECK(pattern->work(run, static_cast<int>(rank), 0).memory_bytes == (is_local ? 8000 : 0));
        CHECK(pattern->work(run, static_cast<int>(rank), 0).scattered_stores ==
              (is_local && writes ? 1000 : 0));
      }
    }
    const bool needs_others = name != std::string("local");
    if (needs_others) CHECK_THROWS_AS(pattern_kind(name).open("10", "")->problem(1, {}), InputError);
  }
}

TEST_CASE("microbenchmarks: strides are 0 to any word, 1, and 1 to 8") {
  const auto strides_of = [](const char* name) {
    const auto pattern = pattern_kind(name).open("500", "");
    const Run run{
        .problem = pattern->problem(2, {{"words", std::int64_t{100'000}}}), .policy = "", .ranks = 2};
    std::vector<std::int64_t> words;
    dynamic_cast<const AddressedPattern&>(*pattern).list(run, [&](const AddressedAccess& access) {
      if (access.rank == 0) words.push_back(access.address / 8);
    });
    std::set<std::int64_t> strides;
    for (std::size_t i = 1; i < words.size(); ++i)
      strides.insert((words[i] - words[i - 1] + 100'000) % 100'000);
    return strides;
  };
  CHECK(strides_of("vector") == std::set<std::int64_t>{1});
  CHECK(strides_of("coalesce") == std::set<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(strides_of("baseline").size() > 450);
}
