// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "../../traces/transfer.hpp"
#include "patterns.hpp"
#include "schedules.hpp"
#include "sim/graph/traffic.hpp"
#include "sim/pattern/counts.hpp"
#include "sim/policy/variant.hpp"

using namespace finegrain;
using namespace finegrain::graph;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;
using test::MatrixPattern;
using Messages = std::vector<Post>;

namespace {

/// Ranks 0 to 3 own the elements {0 1} {2 3} {4 5} {6 7}. In parentheses what other ranks own.
const MatrixPattern eight_rows{8,
                               2,
                               {1, 2,    // row 0: (2)
                                2, 4,    // row 1: (2) (4)
                                2, 3,    // row 2
                                7, 0,    // row 3: (7) (0)
                                3, 5,    // row 4: (3)
                                3, 2,    // row 5: (3) (2)
                                6, 6,    // row 6, padding only
                                6, 1}};  // row 7: (1)

const Variant naive{"naive", Transfer::get, Completion::each};
const Variant individual{"individual", Transfer::get, Completion::each};
const Variant block_get{"block", Transfer::get, Completion::each};
const Variant block_put{"block", Transfer::put, Completion::together};
const Variant condensed_put{"condensed", Transfer::put, Completion::each};
const Variant put_together{"condensed", Transfer::put, Completion::together};
const Variant put_overlapped{"condensed", Transfer::put, Completion::overlapped};
const Variant condensed_send{"condensed", Transfer::two_sided, Completion::together};
const Variant send_overlapped{"condensed", Transfer::two_sided, Completion::overlapped};

std::vector<RegionName> names(const Body& body) {
  std::vector<RegionName> result;
  for (const Region& region : body.regions)
    result.push_back(region.name);
  return result;
}

std::span<const Operation> operations_of(const Body& body, RegionName name) {
  for (const Region& region : body.regions) {
    if (region.name == name) return body.operations_of(region);
  }
  throw std::runtime_error("no such region");
}

Messages messages_of(const Body& body, RegionName name) {
  return messages_of(operations_of(body, name));
}

/// That a rank moves over memory in all regions of a name that move any.
std::map<RegionName, std::int64_t> bytes_by_kind(const Body& iteration) {
  std::map<RegionName, std::int64_t> bytes;
  for (const RegionFacts& region : facts_of(iteration)) {
    if (region.memory_bytes > 0) bytes[region.name] += region.memory_bytes;
  }
  return bytes;
}

struct Case {
  const char* name;
  MatrixPattern pattern;
  int ranks;
  std::int64_t block_size;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const int ranks : {1, 2, 4, 7, 16, 33}) {
    for (const std::int64_t block_size : {1, 7, 64, 1000}) {
      result.push_back({"random", test::random_pattern(101, 3, 1), ranks, block_size});
      result.push_back({"banded", test::banded_pattern(131, 4, 9, 2), ranks, block_size});
    }
  }
  return result;
}

}  // namespace

TEST_CASE("individual policy: a load for each access of another rank's element, in program order") {
  const Schedule schedule = spmv_schedule(eight_rows, 4, 2, individual);
  const auto compute = [&](std::size_t rank) { return messages_of(schedule.ranks[rank], regions::compute); };
  CHECK(compute(0) == Messages{transfer(TransferKind::load, 1, 8, 2), transfer(TransferKind::load, 2, 8, 1)});
  CHECK(compute(1) == Messages{transfer(TransferKind::load, 3, 8, 1), transfer(TransferKind::load, 0, 8, 1)});
  CHECK(compute(2) == Messages{transfer(TransferKind::load, 1, 8, 3)});
  CHECK(compute(3) == Messages{transfer(TransferKind::load, 0, 8, 1)});
}

TEST_CASE(
    "individual policy: rows are in the order of the rank's own blocks, entries in the order of the row") {
  // BLOCKSIZE 1 on three ranks: rank 0 owns elements 0 and 3, rank 1 owns 1 and 4, rank 2 owns 2 and 5.
  const MatrixPattern pattern{6, 2, {2, 1, 1, 1, 2, 2, 4, 5, 4, 4, 5, 5}};
  const Schedule schedule = spmv_schedule(pattern, 3, 1, individual);
  CHECK(messages_of(schedule.ranks[0]) == Messages{transfer(TransferKind::load, 2, 8, 1),      // row 0
                                                   transfer(TransferKind::load, 1, 8, 1 + 1),  // rows 0 and 3
                                                   transfer(TransferKind::load, 2, 8, 1)});    // row 3
}

TEST_CASE("block policy: every needed block is fetched whole, in ascending order, own blocks included") {
  const Schedule schedule = spmv_schedule(eight_rows, 4, 2, block_get);
  const auto get = [&](std::size_t rank) { return messages_of(schedule.ranks[rank], regions::get); };
  const auto block_of = [](std::int32_t owner) { return transfer(TransferKind::get, owner, 2 * 8); };
  CHECK(get(0) == Messages{block_of(0), block_of(1), block_of(2)});
  CHECK(get(1) == Messages{block_of(0), block_of(1), block_of(3)});
  CHECK(get(2) == Messages{block_of(1), block_of(2)});
  CHECK(get(3) == Messages{block_of(0), block_of(3)});
}

TEST_CASE("block policy: a block is a message of its own, and the last one is as long as it is") {
  // Blocks {0 1 2} {3 4 5} {6 7} of ranks 0, 1, 0.
  const Schedule schedule = spmv_schedule(eight_rows, 2, 3, block_get);
  CHECK(messages_of(schedule.ranks[1]) == Messages{transfer(TransferKind::get, 0, 3 * 8),
                                                   transfer(TransferKind::get, 1, 3 * 8),
                                                   transfer(TransferKind::get, 0, 2 * 8)});
}

TEST_CASE("block policy with puts: owners put each block into every rank that needs it, their own included") {
  const Schedule schedule = spmv_schedule(eight_rows, 4, 2, block_put);
  const auto put = [&](std::size_t rank) { return messages_of(schedule.ranks[rank], regions::put); };
  const auto block_to = [](std::int32_t target) { return transfer(TransferKind::put, target, 2 * 8); };
  CHECK(put(0) == Messages{block_to(0), block_to(1), block_to(3)});
  CHECK(put(1) == Messages{block_to(0), block_to(1), block_to(2)});
  CHECK(put(2) == Messages{block_to(0), block_to(2)});
  CHECK(put(3) == Messages{block_to(1), block_to(3)});
}

TEST_CASE("block policy with puts: ascending target, then ascending block, the last one as long as it is") {
  // Blocks {0 1 2} {3 4 5} {6 7} of ranks 0, 1, 0; rank 1 needs all.
  const Schedule schedule = spmv_schedule(eight_rows, 2, 3, block_put);
  CHECK(messages_of(schedule.ranks[0]) ==
        Messages{transfer(TransferKind::put, 0, 3 * 8), transfer(TransferKind::put, 0, 2 * 8),
                 transfer(TransferKind::put, 1, 3 * 8), transfer(TransferKind::put, 1, 2 * 8)});
}

TEST_CASE("block policy: what is put is what would be got") {
  for (const Case& c : cases()) {
    CAPTURE(c.name, c.ranks, c.block_size);
    const Schedule gets = spmv_schedule(c.pattern, c.ranks, c.block_size, block_get);
    const Schedule puts = spmv_schedule(c.pattern, c.ranks, c.block_size, block_put);
    CHECK(traffic_of(gets) == traffic_of(puts));
    std::vector<Messages> expected(gets.ranks.size());
    for (std::size_t reader = 0; reader < gets.ranks.size(); ++reader) {
      for (const Post& message : messages_of(gets.ranks[reader]))
        expected[static_cast<std::size_t>(message.peer)].push_back(
            transfer(TransferKind::put, static_cast<std::int32_t>(reader), message.size_bytes));
    }
    for (std::size_t rank = 0; rank < expected.size(); ++rank)
      CHECK(messages_of(puts.ranks[rank]) == expected[rank]);
  }
}

TEST_CASE("naive policy: the phases, messages and bytes of the individual one, and pointers to shared") {
  for (const Case& c : cases()) {
    CAPTURE(c.name, c.ranks, c.block_size);
    std::vector<Body> expected = spmv_schedule(c.pattern, c.ranks, c.block_size, individual).ranks;
    const problem::Distribution distribution(c.pattern.rows, c.ranks, c.block_size);
    for (int rank = 0; rank < c.ranks; ++rank) {
      auto& work = std::get<Work>(expected[static_cast<std::size_t>(rank)].operations.front());
      work.shared_references = distribution.elements_of(rank) * (2 * c.pattern.r_nz + 2);
      work.affinity_tests = c.pattern.rows;
    }
    CHECK(spmv_schedule(c.pattern, c.ranks, c.block_size, naive).ranks == expected);
  }
}

TEST_CASE(
    "condensed policy, overlapped: the first compute is of the rows that read no other rank's element") {
  // Rank 0 has rows 0 and 1, which both read others; rank 1 row 2, which does not, and 3; rank 3 likewise 6.
  constexpr std::int64_t row_bytes = 2 * (8 + 4) + 3 * 8;
  for (const Variant& program : {put_overlapped, send_overlapped}) {
    const Schedule schedule = spmv_schedule(eight_rows, 4, 2, program);
    const auto computes = [&](std::size_t rank) {
      std::vector<std::int64_t> bytes;
      for (const RegionFacts& region : facts_of(schedule.ranks[rank])) {
        if (region.name == regions::compute) bytes.push_back(region.memory_bytes);
      }
      return bytes;
    };
    CHECK(computes(0) == std::vector<std::int64_t>{0, 2 * row_bytes});
    CHECK(computes(1) == std::vector<std::int64_t>{row_bytes, row_bytes});
    CHECK(computes(2) == std::vector<std::int64_t>{0, 2 * row_bytes});
    CHECK(computes(3) == std::vector<std::int64_t>{row_bytes, row_bytes});
  }
}

TEST_CASE("condensed policy: when a rank waits changes neither its messages nor the bytes it moves") {
  for (const Case& c : cases()) {
    CAPTURE(c.name, c.ranks, c.block_size);
    const auto schedule = [&](const Variant& program) {
      return spmv_schedule(c.pattern, c.ranks, c.block_size, program);
    };
    const auto check = [](const Schedule& usual, const Schedule& other) {
      for (std::size_t rank = 0; rank < usual.ranks.size(); ++rank) {
        CHECK(messages_of(usual.ranks[rank]) == messages_of(other.ranks[rank]));
        CHECK(bytes_by_kind(usual.ranks[rank]) == bytes_by_kind(other.ranks[rank]));
      }
    };
    check(schedule(condensed_put), schedule(put_together));
    check(schedule(condensed_put), schedule(put_overlapped));
    check(schedule(condensed_send), schedule(send_overlapped));
  }
}

TEST_CASE("condensed policy, one-sided: one put for each reader, of the distinct values that it reads") {
  const Schedule schedule = spmv_schedule(eight_rows, 4, 2, condensed_put);
  const auto put = [&](std::size_t rank) { return messages_of(schedule.ranks[rank], regions::put); };
  CHECK(put(0) == Messages{transfer(TransferKind::put, 1, 1 * 8), transfer(TransferKind::put, 3, 1 * 8)});
  CHECK(put(1) == Messages{transfer(TransferKind::put, 0, 1 * 8), transfer(TransferKind::put, 2, 2 * 8)});
  CHECK(put(2) == Messages{transfer(TransferKind::put, 0, 1 * 8)});
  CHECK(put(3) == Messages{transfer(TransferKind::put, 1, 1 * 8)});
}

TEST_CASE("condensed policy, two-sided: receives and sends of the distinct values") {
  const Schedule schedule = spmv_schedule(eight_rows, 4, 2, condensed_send);
  CHECK(messages_of(schedule.ranks[1]) ==
        Messages{transfer(TransferKind::receive, 0, 1 * 8), transfer(TransferKind::receive, 3, 1 * 8),
                 transfer(TransferKind::send, 0, 1 * 8), transfer(TransferKind::send, 2, 2 * 8)});
  CHECK(messages_of(schedule.ranks[2]) ==
        Messages{transfer(TransferKind::receive, 1, 2 * 8), transfer(TransferKind::send, 0, 1 * 8)});
}

TEST_CASE("condensed policy: volumes of pack, copy, unpack and compute are eqs. (12), (14), (15) and (7)") {
  for (const Variant& program : {condensed_put, put_together, condensed_send}) {
    const Schedule schedule = spmv_schedule(eight_rows, 4, 2, program);
    const auto volume = [&](RegionName kind) { return memory_bytes(operations_of(schedule.ranks[1], kind)); };
    CHECK(volume(regions::pack) == (1 + 2) * (2 * 8 + 4));
    CHECK(volume(regions::copy) == 2 * 2 * 8);
    CHECK(volume(regions::unpack) == (1 + 1) * (8 + 4 + 64));
    CHECK(volume(regions::compute) == 2 * (2 * (8 + 4) + 3 * 8));
  }
}

TEST_CASE("all policies: the operations themselves say what blocks, what is waited for, and where all meet") {
  const auto own = [](Post post) { return from_private_memory(post); };
  const Work compute{2 * (2 * (8 + 4) + 3 * 8)};
  const auto operations = [](const Variant& program) {
    return spmv_schedule(eight_rows, 4, 2, program).ranks[3].operations;
  };
  using Operations = std::vector<Operation>;
  const Post load = own(blocking(transfer(TransferKind::load, 0, 8)));
  CHECK(operations(individual) == Operations{compute, load, Collective{}, Collective{}});
  const Post get = own(blocking(transfer(TransferKind::get, 0, 2 * 8)));
  Post own_get = get;
  own_get.peer = 3;
  CHECK(operations(block_get) == Operations{get, own_get, compute, Collective{}, Collective{}});
  const Work pack{2 * 8 + 4};
  const Work copy{.memory_bytes = 2 * 2 * 8, .copied_bytes = 2 * 8};
  const Work unpack{.memory_bytes = 8 + 4 + 64, .scattered_stores = 1};
  const Post put = own(transfer(TransferKind::put, 1, 8));
  CHECK(operations(condensed_put) ==
        Operations{pack, blocking(put), Collective{}, copy, unpack, compute, Collective{}, Collective{}});
  CHECK(operations(put_together) == Operations{pack, put, Complete::all(), Collective{}, copy, unpack,
                                               compute, Collective{}, Collective{}});
  CHECK(operations(condensed_send) == Operations{transfer(TransferKind::receive, 0, 8), pack,
                                                 transfer(TransferKind::send, 1, 8), copy, Complete::all(),
                                                 unpack, compute});
}

TEST_CASE("all policies: every rank has the documented phases, whatever it owns or exchanges") {
  const auto check = [](const Schedule& schedule, const std::vector<RegionName>& expected) {
    for (const Body& iteration : schedule.ranks)
      CHECK(names(iteration) == expected);
  };
  // 3 ranks and BLOCKSIZE 4: the third rank owns nothing.
  for (const int ranks : {1, 3, 4}) {
    CAPTURE(ranks);
    check(spmv_schedule(eight_rows, ranks, 4, naive), {regions::compute, regions::barrier, regions::barrier});
    check(spmv_schedule(eight_rows, ranks, 4, individual),
          {regions::compute, regions::barrier, regions::barrier});
    check(spmv_schedule(eight_rows, ranks, 4, block_get),
          {regions::get, regions::compute, regions::barrier, regions::barrier});
    check(spmv_schedule(eight_rows, ranks, 4, block_put),
          {regions::compute, regions::barrier, regions::put, regions::wait, regions::barrier});
    check(spmv_schedule(eight_rows, ranks, 4, condensed_put),
          {regions::pack, regions::put, regions::barrier, regions::copy, regions::unpack, regions::compute,
           regions::barrier, regions::barrier});
    check(spmv_schedule(eight_rows, ranks, 4, put_together),
          {regions::pack, regions::put, regions::wait, regions::barrier, regions::copy, regions::unpack,
           regions::compute, regions::barrier, regions::barrier});
    check(spmv_schedule(eight_rows, ranks, 4, put_overlapped),
          {regions::pack, regions::put, regions::copy, regions::compute, regions::wait, regions::barrier,
           regions::unpack, regions::compute, regions::barrier, regions::barrier});
    check(spmv_schedule(eight_rows, ranks, 4, condensed_send),
          {regions::receive, regions::pack, regions::send, regions::copy, regions::wait, regions::unpack,
           regions::compute});
    check(spmv_schedule(eight_rows, ranks, 4, send_overlapped),
          {regions::receive, regions::pack, regions::send, regions::copy, regions::compute, regions::wait,
           regions::unpack, regions::compute});
  }
}

TEST_CASE("all policies: a rank without rows moves nothing") {
  for (const Variant& program : variants(pattern_kind("spmv"))) {
    // Who has no elements still asks what others need of it.
    if (program.policy == "preparation" && program.transfer == Transfer::get) continue;
    for (const Body& idle : {spmv_schedule(eight_rows, 3, 4, program).ranks[2],
                             spmv_schedule(eight_rows, 9, 1, program).ranks[8]}) {
      CHECK(messages_of(idle).empty());
      CHECK(memory_bytes(idle.operations) == 0);
    }
  }
}

TEST_CASE("on one rank nothing is sent, but the block policy still copies its own blocks") {
  CHECK(messages_of(spmv_schedule(eight_rows, 1, 3, individual).ranks[0]).empty());
  CHECK(messages_of(spmv_schedule(eight_rows, 1, 3, condensed_put).ranks[0]).empty());
  CHECK(messages_of(spmv_schedule(eight_rows, 1, 3, condensed_send).ranks[0]).empty());
  CHECK(messages_of(spmv_schedule(eight_rows, 1, 3, block_get).ranks[0]) ==
        Messages{transfer(TransferKind::get, 0, 3 * 8), transfer(TransferKind::get, 0, 3 * 8),
                 transfer(TransferKind::get, 0, 2 * 8)});
}

TEST_CASE("condensed policy: what a sends to b is what b receives from a, in ascending order of peer") {
  for (const Case& c : cases()) {
    CAPTURE(c.name, c.ranks, c.block_size);
    const Schedule schedule = spmv_schedule(c.pattern, c.ranks, c.block_size, condensed_send);
    std::vector<Messages> received(schedule.ranks.size());
    for (std::size_t sender = 0; sender < schedule.ranks.size(); ++sender) {
      std::int32_t previous = -1;
      for (const Post& message : messages_of(schedule.ranks[sender], regions::send)) {
        CHECK(message.peer > previous);
        previous = message.peer;
        received.at(static_cast<std::size_t>(message.peer))
            .push_back(
                transfer(TransferKind::receive, static_cast<std::int32_t>(sender), message.size_bytes));
      }
    }
    for (std::size_t rank = 0; rank < received.size(); ++rank)
      CHECK(messages_of(schedule.ranks[rank], regions::receive) == received[rank]);
  }
}

TEST_CASE("condensed policy: one-sided puts are the two-sided sends") {
  for (const Case& c : cases()) {
    CAPTURE(c.name, c.ranks, c.block_size);
    const Schedule puts = spmv_schedule(c.pattern, c.ranks, c.block_size, condensed_put);
    const Schedule sends = spmv_schedule(c.pattern, c.ranks, c.block_size, condensed_send);
    CHECK(traffic_of(puts) == traffic_of(sends));
    for (std::size_t rank = 0; rank < puts.ranks.size(); ++rank) {
      Messages expected = messages_of(sends.ranks[rank], regions::send);
      for (Post& message : expected)
        message.kind = TransferKind::put;
      CHECK(messages_of(puts.ranks[rank], regions::put) == expected);
    }
  }
}

TEST_CASE("all policies: messages and bytes add up to the paper's counts") {
  for (const Case& c : cases()) {
    CAPTURE(c.name, c.ranks, c.block_size);
    const auto counts = count_accesses(
        c.pattern.view(), Layout{Distribution(c.pattern.rows, c.ranks, c.block_size), Placement(c.ranks, 2)});
    const auto single = traffic_of(spmv_schedule(c.pattern, c.ranks, c.block_size, individual));
    const auto block = traffic_of(spmv_schedule(c.pattern, c.ranks, c.block_size, block_get));
    const auto condensed = traffic_of(spmv_schedule(c.pattern, c.ranks, c.block_size, condensed_put));
    const auto puts = traffic_of(spmv_schedule(c.pattern, c.ranks, c.block_size, block_put));
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      const RankCounts& count = counts[rank];
      CHECK(single[rank].in_local == Volume{count.accesses_local, count.accesses_local * 8});
      CHECK(single[rank].in_remote == Volume{count.accesses_remote, count.accesses_remote * 8});
      CHECK(block[rank].in_local == Volume{count.blocks_local, count.block_values_local * 8});
      CHECK(block[rank].in_remote == Volume{count.blocks_remote, count.block_values_remote * 8});
      CHECK(puts[rank].out_local == Volume{count.blocks_out_local, count.block_values_out_local * 8});
      CHECK(puts[rank].out_remote == Volume{count.blocks_out_remote, count.block_values_out_remote * 8});
      CHECK(condensed[rank].in_local == Volume{count.messages_in_local, count.values_in_local * 8});
      CHECK(condensed[rank].in_remote == Volume{count.messages_in_remote, count.values_in_remote * 8});
      CHECK(condensed[rank].out_local == Volume{count.messages_out_local, count.values_out_local * 8});
      CHECK(condensed[rank].out_remote == Volume{count.messages_out_remote, count.values_out_remote * 8});
    }
  }
}
