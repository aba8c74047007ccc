// SPDX-License-Identifier: MIT
//
// What a recorder takes of the program's memory: this program's own operator new counts, and can run out.
#include <malloc.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <new>

#include "tests/traces/recording.hpp"

namespace {

std::size_t live_bytes = 0;
std::size_t most_live_bytes = 0;
std::size_t largest_allowed_bytes = std::numeric_limits<std::size_t>::max();

}  // namespace

void* operator new(std::size_t size_bytes) {
  void* memory = size_bytes > largest_allowed_bytes ? nullptr : std::malloc(size_bytes);
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes += ::malloc_usable_size(memory);
  most_live_bytes = std::max(most_live_bytes, live_bytes);
  return memory;
}

void* operator new(std::size_t size_bytes, const std::nothrow_t&) noexcept try {
  return ::operator new(size_bytes);
} catch (const std::bad_alloc&) {
  return nullptr;
}

void operator delete(void* memory) noexcept {
  live_bytes -= ::malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  ::operator delete(memory);
}

namespace finegrain {
namespace {

using namespace test;

/// Half a chunk: 100 iterations of 1,000 messages.
RankRecording half_a_chunk() {
  std::mt19937_64 random(6);
  RecordedIteration shape;
  shape.body.begin_region(regions::put);
  for (int m = 0; m < 1000; ++m)
    shape.body.add(transfer(TransferKind::put, m % 9, 8, 1));
  RankRecording recording;
  for (std::int64_t i = 0; i < 100; ++i)
    recording.push_back(at_new_times(shape, random, 1'000'000 * i));
  return recording;
}

/// The most memory that recording it so many times takes at once.
std::size_t bytes_taken_by(int times, const RankRecording& recording) {
  const TraceFolder folder;
  const std::size_t before_bytes = most_live_bytes = live_bytes;
  Recorder recorder(folder.path(), 0, read_clock);
  for (int i = 0; i < times; ++i)
    play(recorder, recording);
  REQUIRE(recorder.finish());
  REQUIRE(std::filesystem::file_size(folder.path() / "rank_00000.fgt") >
          100'000 * static_cast<unsigned>(times));
  return most_live_bytes - before_bytes;
}

TEST_CASE("a recorder takes no more memory for 100 chunks than for 5") {
  const RankRecording recording = half_a_chunk();
  const std::size_t short_run_bytes = bytes_taken_by(2 * 5, recording);
  CHECK(short_run_bytes < 8 << 20);
  // 8 bytes of each of the other 19,000 iterations would be more.
  CHECK(bytes_taken_by(2 * 100, recording) < short_run_bytes + (64 << 10));
}

TEST_CASE("a recorder without memory stops, and what was flushed before is readable") {
  const RankRecording recording = half_a_chunk();
  const TraceFolder folder;
  Recorder recorder(folder.path(), 0, read_clock);
  for (int i = 0; i < 4; ++i)
    play(recorder, recording);
  largest_allowed_bytes = 100'000;
  REQUIRE_NOTHROW(play(recorder, recording));
  REQUIRE_NOTHROW(play(recorder, recording));
  CHECK_FALSE(recorder.finish());
  largest_allowed_bytes = std::numeric_limits<std::size_t>::max();
  write_manifest(folder.path(), manifest_of(9, 600));
  RankRecording read;
  CHECK_THAT(error_of(Trace(folder.path()), 0, read),
             Catch::Contains("the recording stopped after") && Catch::Contains("(out of memory)"));
  CHECK(read.size() > 100);
  CHECK(read.size() < 600);
}

}  // namespace
}  // namespace finegrain
