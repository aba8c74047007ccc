// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/traces/transfer.hpp"
#include "traces/manifest.hpp"
#include "traces/recorder.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::test {

/// A folder of its own, gone with the test.
class TraceFolder {
 public:
  TraceFolder();
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A clock that stands where the test puts it.
inline std::int64_t now_ns = 0;
std::int64_t read_clock();

using RankRecording = std::vector<RecordedIteration>;

/// A random iteration of a run on that many ranks, with plausible times after `start_ns`.
RecordedIteration random_iteration(std::mt19937_64& random, int ranks, std::int64_t start_ns);
/// New times for the same regions and posts.
RecordedIteration at_new_times(RecordedIteration iteration, std::mt19937_64& random, std::int64_t start_ns);
RankRecording random_recording(std::mt19937_64& random, int ranks, int iterations);

/// Plays a recording through a Recorder, without finishing it.
void play(Recorder& recorder, const RankRecording& recording);
/// Records all of it. @returns what finish() does
bool record(const std::filesystem::path& folder, int rank, const RankRecording& recording,
            std::int64_t resolution_ns = 1);
/// Whole trace: one recording a rank, and the manifest of a heat run.
Manifest manifest_of(int ranks, std::int64_t iterations);
void record_trace(const std::filesystem::path& folder, const std::vector<RankRecording>& ranks);

/// A manifest's text with the checksum that it should have: changed by somebody who wants to be believed.
std::string with_right_checksum(const std::string& manifest);

RankRecording read_all(const Trace& trace, int rank);

/// The InputError's text that reading a rank to its end throws, after adding what was read to `read`; empty
/// if none.
std::string error_of(const Trace& trace, int rank, RankRecording& read);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);

}  // namespace finegrain::test
