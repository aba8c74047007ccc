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

/// One iteration with one phase.
RecordedIteration iteration_of(std::int64_t memory_bytes, const std::vector<Message>& messages) {
  RecordedIteration recorded;
  recorded.iteration.begin_phase(PhaseKind::send, memory_bytes);
  for (const Message& message : messages)
    recorded.iteration.add(message);
  recorded.phases.resize(1);
  recorded.messages.resize(messages.size());
  return recorded;
}

std::string error_of_first_of_two_ranks(const RecordedIteration& iteration) {
  const TemporaryFolder folder;
  record_trace(folder.path(), {{iteration}, {iteration}});
  RankRecording read;
  return error_of(Trace(folder.path()), 0, read);
}

TEST_CASE("a trace of which nothing is readable has a summary without iterations, and a problem a rank") {
  const TemporaryFolder folder;
  record_trace(folder.path(), {{iteration_of(0, {})}, {iteration_of(0, {})}});
  for (const int rank : {0, 1})
    std::filesystem::resize_file(folder.path() / rank_file_name(rank), file_header_bytes);
  const TraceSummary summary = summarize(Trace(folder.path()));
  CHECK(summary.iterations == 0);
  CHECK(summary.phases.empty());
  CHECK(summary.problems.size() == 2);
}

TEST_CASE("an iteration is damage if its bytes or messages, times the ranks, exceed 64 bits") {
  const auto refused = Catch::Contains("moves more bytes or messages than can be counted");
  CHECK_THAT(error_of_first_of_two_ranks(iteration_of(0, {{MessageKind::send, 1, 1LL << 40, 1LL << 40}})),
             refused);
  CHECK_THAT(error_of_first_of_two_ranks(iteration_of(0, {{MessageKind::send, 1, most / 2 + 1, 1}})),
             refused);
  CHECK_THAT(error_of_first_of_two_ranks(iteration_of(0, {{MessageKind::send, 1, 0, most / 2 + 1}})),
             refused);
  CHECK_THAT(error_of_first_of_two_ranks(
                 iteration_of(0, {{MessageKind::send, 1, most / 4, 1}, {MessageKind::put, 1, most / 3, 1}})),
             refused);
  CHECK_THAT(error_of_first_of_two_ranks(iteration_of(most / 2 + 1, {})), refused);
  CHECK(error_of_first_of_two_ranks(iteration_of(most / 2, {{MessageKind::send, 1, most / 2, 1}})).empty());
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
  const TemporaryFolder folder;
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
      iteration_of(0, std::vector<Message>(600'000, {MessageKind::put, 0, 8, 1}));
  const TemporaryFolder folder;
  record_trace(folder.path(), {{iteration}});
  // At least 7 bytes of content a message, of which a 256th is kept.
  CHECK(std::filesystem::file_size(folder.path() / rank_file_name(0)) >= 600'000 * 7 / 256);
  CHECK(read_all(Trace(folder.path()), 0) == RankRecording{iteration});
}

TEST_CASE("time-independent actions that would be larger than allowed are refused, and nothing is written") {
  const TemporaryFolder folder;
  record_trace(folder.path() / "trace",
               {{iteration_of(0, {{MessageKind::send, 1, 8, 1LL << 50}})}, {iteration_of(0, {})}});
  const Schedule schedule = schedule_of(Trace(folder.path() / "trace"));
  CHECK_THROWS_WITH(write_time_independent(schedule, 1, folder.path() / "ti", 1e9),
                    Catch::Contains("the actions of 1 iterations take"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "ti"));
}

TEST_CASE("a pipe in the place of a trace's file is refused, not waited for") {
  const TemporaryFolder folder;
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
