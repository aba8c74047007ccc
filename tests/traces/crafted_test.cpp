// SPDX-License-Identifier: MIT
//
// Traces made by somebody who knows the format: every checksum is right, what they say is not to be believed.
#include <sys/stat.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <limits>

#include "tests/traces/recording.hpp"
#include "traces/rank_file.hpp"
#include "traces/summary.hpp"
#include "traces/time_independent.hpp"

namespace finegrain {
namespace {

using namespace test;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// One iteration with one region.
RecordedIteration iteration_of(std::int64_t memory_bytes, const std::vector<Post>& posts) {
  RecordedIteration recorded;
  recorded.body.add_region(regions::send, Work{memory_bytes});
  for (const Post& post : posts)
    recorded.body.add(post);
  recorded.regions.resize(1);
  recorded.posts.resize(posts.size());
  return recorded;
}

std::string error_of_first_of_two_ranks(const RecordedIteration& iteration) {
  const TraceFolder folder;
  record_trace(folder.path(), {{iteration}, {iteration}});
  RankRecording read;
  return error_of(Trace(folder.path()), 0, read);
}

TEST_CASE("a trace of which nothing is readable has a summary without iterations, and a problem a rank") {
  const TraceFolder folder;
  record_trace(folder.path(), {{iteration_of(0, {})}, {iteration_of(0, {})}});
  for (const int rank : {0, 1})
    std::filesystem::resize_file(folder.path() / rank_file_name(rank), file_header_bytes);
  const TraceSummary summary = summarize(Trace(folder.path()));
  CHECK(summary.iterations == 0);
  CHECK(summary.regions.empty());
  CHECK(summary.problems.size() == 2);
}

TEST_CASE("an iteration is damage if its bytes or messages, times the ranks, exceed 64 bits") {
  const auto refused = Catch::Contains("moves more bytes or messages than can be counted");
  CHECK_THAT(
      error_of_first_of_two_ranks(iteration_of(0, {transfer(TransferKind::send, 1, 1LL << 40, 1LL << 40)})),
      refused);
  CHECK_THAT(error_of_first_of_two_ranks(iteration_of(0, {transfer(TransferKind::send, 1, most / 2 + 1, 1)})),
             refused);
  CHECK_THAT(error_of_first_of_two_ranks(iteration_of(0, {transfer(TransferKind::send, 1, 0, most / 2 + 1)})),
             refused);
  CHECK_THAT(error_of_first_of_two_ranks(iteration_of(0, {transfer(TransferKind::send, 1, most / 4, 1),
                                                          transfer(TransferKind::put, 1, most / 3, 1)})),
             refused);
  CHECK_THAT(error_of_first_of_two_ranks(iteration_of(most / 2 + 1, {})), refused);
  CHECK(error_of_first_of_two_ranks(iteration_of(most / 2, {transfer(TransferKind::send, 1, most / 2, 1)}))
            .empty());
}

TEST_CASE("an iteration is damage if its scattered stores or copied bytes, times the ranks, exceed 64 bits") {
  const auto refused = Catch::Contains("moves more bytes or messages than can be counted");
  const auto error_of_work = [](const Work& work) {
    RecordedIteration iteration = iteration_of(0, {});
    iteration.body.operations[0] = work;
    return error_of_first_of_two_ranks(iteration);
  };
  CHECK_THAT(error_of_work({.scattered_stores = most / 2 + 1}), refused);
  CHECK_THAT(error_of_work({.copied_bytes = most / 2 + 1}), refused);
  CHECK_THAT(error_of_work({.shared_references = most / 2 + 1}), refused);
  CHECK_THAT(error_of_work({.affinity_tests = most / 2 + 1}), refused);
  CHECK(error_of_work({most / 2, most / 2, most / 2}).empty());
}

TEST_CASE("an iteration that waits for requests which were not made before is damage") {
  const auto error_of_waiting = [](std::int64_t oldest, std::int64_t count, std::size_t made_before) {
    RecordedIteration earlier =
        iteration_of(0, std::vector<Post>(made_before, transfer(TransferKind::send, 1, 8)));
    RecordedIteration waiting = iteration_of(0, {transfer(TransferKind::send, 1, 8)});
    waiting.body.add(Complete{oldest, count});
    const TraceFolder folder;
    record_trace(folder.path(), {{earlier, waiting}, {earlier, waiting}});
    RankRecording read;
    return error_of(Trace(folder.path()), 0, read);
  };
  const auto refused = Catch::Contains("it completes requests that are not there");
  CHECK(error_of_waiting(1, 1, 0).empty());
  CHECK_THAT(error_of_waiting(2, 1, 0), refused);
  CHECK(error_of_waiting(3, 2, 2).empty());
  CHECK_THAT(error_of_waiting(4, 1, 2), refused);
  CHECK_THAT(error_of_waiting(1, 2, 2), refused);
  CHECK_THAT(error_of_waiting(1, 0, 2), refused);
}

TEST_CASE("blocking transfers, and loads and stores, make no request") {
  RecordedIteration iteration =
      iteration_of(0, {blocking(transfer(TransferKind::send, 1, 8)), transfer(TransferKind::load, 1, 8)});
  iteration.body.add(Complete{1, 1});
  CHECK_THAT(error_of_first_of_two_ranks(iteration), Catch::Contains("it completes requests that are not"));
}

TEST_CASE("a region's name is of printable ASCII, and at most 255 bytes") {
  CHECK(RegionName("halo, 2nd row").text() == "halo, 2nd row");
  CHECK(RegionName("halo, 2nd row") == RegionName("halo, 2nd row"));
  CHECK(RegionName("pack") == regions::pack);
  CHECK_NOTHROW(RegionName(std::string(255, 'x')));
  CHECK_THROWS_AS(RegionName(std::string(256, 'x')), InputError);
  CHECK_THROWS_AS(RegionName(""), InputError);
  CHECK_THROWS_AS(RegionName("line\nend"), InputError);
  CHECK_THROWS_AS(RegionName("\xc3\xa4"), InputError);
}

TEST_CASE("a chunk of more than 2 MiB is damage if its payload is smaller than a 256th of it") {
  const std::string content(3 << 20, '\0');
  std::string payload(ZSTD_compressBound(content.size()), '\0');
  payload.resize(ZSTD_compress(payload.data(), payload.size(), content.data(), content.size(), 1));
  ChunkHeader header;
  header.iterations = 1;
  header.content_bytes = static_cast<std::uint32_t>(content.size());
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.payload_checksum = checksum(std::as_bytes(std::span(payload)));
  const TraceFolder folder;
  record_trace(folder.path(), {{iteration_of(0, {})}});
  const auto file = folder.path() / rank_file_name(0);
  const auto chunk = encode(header);
  write_file(file, read_file(file).substr(0, file_header_bytes) +
                       std::string(reinterpret_cast<const char*>(chunk.data()), chunk.size()) + payload);
  RankRecording read;
  CHECK_THAT(error_of(Trace(folder.path()), 0, read), Catch::Contains("byte 24: a chunk is too large"));
}

TEST_CASE("an iteration of 600,000 equal messages at the same time is recorded so that it can be read") {
  const RecordedIteration iteration =
      iteration_of(0, std::vector<Post>(600'000, transfer(TransferKind::put, 0, 8, 1)));
  const TraceFolder folder;
  record_trace(folder.path(), {{iteration}});
  // At least 7 bytes of content a message, of which a 256th is kept.
  CHECK(std::filesystem::file_size(folder.path() / rank_file_name(0)) >= 600'000 * 7 / 256);
  CHECK(read_all(Trace(folder.path()), 0) == RankRecording{iteration});
}

TEST_CASE("time-independent actions that would be larger than allowed are refused, and nothing is written") {
  const TraceFolder folder;
  record_trace(folder.path() / "trace",
               {{iteration_of(0, {transfer(TransferKind::send, 1, 8, 1LL << 50)})}, {iteration_of(0, {})}});
  const Schedule schedule = schedule_of(Trace(folder.path() / "trace"));
  CHECK_THROWS_WITH(write_time_independent(schedule, 1, folder.path() / "ti", 1e9),
                    Catch::Contains("the actions of 1 iteration take"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "ti"));
}

TEST_CASE("a pipe in the place of a trace's file is refused, not waited for") {
  const TraceFolder folder;
  record_trace(folder.path(), {{iteration_of(0, {})}});
  const auto replace_by_pipe = [&](const std::string& name) {
    std::filesystem::remove(folder.path() / name);
    REQUIRE(::mkfifo((folder.path() / name).c_str(), 0600) == 0);
  };
  replace_by_pipe(rank_file_name(0));
  RankRecording read;
  CHECK_THAT(error_of(Trace(folder.path()), 0, read), Catch::Contains("is not a regular file"));
  replace_by_pipe(manifest_file_name);
  CHECK_THROWS_AS(Trace(folder.path()), InputError);
}

}  // namespace
}  // namespace finegrain
