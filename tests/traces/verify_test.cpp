// SPDX-License-Identifier: MIT
#include "traces/verify.hpp"

#include <catch2/catch.hpp>

#include "tests/traces/recording.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {
namespace {

using namespace test;

RecordedIteration of_messages(const std::vector<Post>& messages) {
  RecordedIteration recorded;
  recorded.body.begin_region(regions::send);
  for (const Post& message : messages)
    recorded.body.add(message);
  std::mt19937_64 random(1);
  return at_new_times(recorded, random, 0);
}

/// Rank 0 sends twice to rank 1, which receives twice; two iterations.
std::vector<RankRecording> matching() {
  return {RankRecording(2, of_messages({transfer(TransferKind::send, 1, 80, 1),
                                        transfer(TransferKind::send, 1, 8, 3)})),
          RankRecording(2, of_messages({transfer(TransferKind::receive, 0, 80, 1),
                                        transfer(TransferKind::receive, 0, 8, 3)}))};
}

TEST_CASE("a whole trace with matching sends and receives verifies") {
  const TraceFolder folder;
  record_trace(folder.path(), matching());
  const Verification result = verify(Trace(folder.path()));
  CHECK(result.ok());
  CHECK(result.iterations_of_all == 2);
  CHECK(result.ranks[0].messages == 2 * 2);
}

TEST_CASE("a receive of another size is a mismatch of that pair") {
  std::vector<RankRecording> ranks = matching();
  post_at(ranks[1][0].body, 1).size_bytes = 9;
  const TraceFolder folder;
  record_trace(folder.path(), ranks);
  const Verification result = verify(Trace(folder.path()));
  CHECK_FALSE(result.ok());
  REQUIRE(result.mismatch_count == 1);
  const PairMismatch& pair = result.mismatches.at(0);
  CHECK(pair.sender == 0);
  CHECK(pair.receiver == 1);
  CHECK(pair.sends == 2 * (1 + 3));
  CHECK(pair.receives == 2 * (1 + 3));
  CHECK(pair.sent_bytes == 2 * (80 + 3 * 8));
  CHECK(pair.received_bytes == 2 * (80 + 3 * 8) + 3);
}

TEST_CASE("a send without a receive is a mismatch, one-sided messages need no other end") {
  const TraceFolder sends;
  record_trace(sends.path(), {{of_messages({transfer(TransferKind::send, 1, 80)})}, {of_messages({})}});
  CHECK(verify(Trace(sends.path())).mismatch_count == 1);
  const TraceFolder puts;
  record_trace(puts.path(), {{of_messages({transfer(TransferKind::put, 1, 80)})},
                             {of_messages({transfer(TransferKind::get, 0, 8)})}});
  CHECK(verify(Trace(puts.path())).ok());
}

TEST_CASE("missing, damaged and unfinished files are told apart, and what is readable is counted") {
  const TraceFolder folder;
  std::vector<RankRecording> ranks(4, RankRecording(2, of_messages({})));
  record_trace(folder.path(), ranks);
  const auto file = [&](int rank) { return folder.path() / rank_file_name(rank); };
  std::filesystem::remove(file(1));
  std::string bytes = read_file(file(2));
  bytes[file_header_bytes + chunk_header_bytes] ^= 1;
  write_file(file(2), bytes);
  std::filesystem::resize_file(file(3), std::filesystem::file_size(file(3)) - chunk_header_bytes);

  const Verification result = verify(Trace(folder.path()));
  CHECK_FALSE(result.ok());
  CHECK(result.ranks[0].state == FileState::whole);
  CHECK(result.ranks[1].state == FileState::missing);
  CHECK(result.ranks[2].state == FileState::damaged);
  CHECK_THAT(result.ranks[2].problem, Catch::Contains("rank_00002.fgt: byte 72: "));
  CHECK(result.ranks[3].state == FileState::unfinished);
  CHECK(result.ranks[3].iterations == 2);
  CHECK(result.iterations_of_all == 0);
  CHECK_FALSE(result.pairs_checked);
}

TEST_CASE("iterations that not all ranks have are not whole") {
  const TraceFolder folder;
  record_trace(folder.path(), {RankRecording(3), RankRecording(2)});
  const Verification result = verify(Trace(folder.path()));
  CHECK(result.iterations_of_all == 2);
  CHECK_FALSE(result.ok());
}

TEST_CASE("a recording that did not end does not verify") {
  const TraceFolder folder;
  record_trace(folder.path(), matching());
  Manifest manifest = manifest_of(2, 2);
  manifest.complete = false;
  manifest.offsets_at_end.clear();
  write_manifest(folder.path(), manifest);
  CHECK_FALSE(verify(Trace(folder.path())).ok());
}

}  // namespace
}  // namespace finegrain
