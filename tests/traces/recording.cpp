// SPDX-License-Identifier: MIT
#include "tests/traces/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>

#include "traces/rank_file.hpp"

namespace finegrain::test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "finegrain-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::int64_t read_clock() {
  return now_ns;
}

RecordedIteration at_new_times(RecordedIteration iteration, std::mt19937_64& random, std::int64_t start_ns) {
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  std::int64_t time_ns = iteration.time.start_ns = start_ns + up_to(1000);
  iteration.messages.resize(iteration.iteration.messages.size());
  iteration.phases.clear();
  for (const Phase& phase : iteration.iteration.phases) {
    Interval& interval = iteration.phases.emplace_back();
    interval.start_ns = time_ns += up_to(100);
    for (std::int32_t m = 0; m < phase.message_count; ++m)
      iteration.messages[static_cast<std::size_t>(phase.first_message + m)].start_ns = time_ns += up_to(500);
    interval.end_ns = time_ns += up_to(100'000);
  }
  for (Interval& message : iteration.messages)
    message.end_ns = message.start_ns + up_to(time_ns - message.start_ns);
  iteration.time.end_ns = time_ns + up_to(100);
  return iteration;
}

RecordedIteration random_iteration(std::mt19937_64& random, int ranks, std::int64_t start_ns) {
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  RecordedIteration recorded;
  const std::int64_t phases = up_to(6);
  for (std::int64_t p = 0; p < phases; ++p) {
    recorded.iteration.begin_phase(static_cast<PhaseKind>(up_to(9)),
                                   up_to(1) == 0 ? 0 : up_to(1'000'000'000'000));
    const std::int64_t messages = up_to(1) == 0 ? 0 : up_to(12);
    for (std::int64_t m = 0; m < messages; ++m) {
      recorded.iteration.add({static_cast<MessageKind>(up_to(3)), static_cast<std::int32_t>(up_to(ranks - 1)),
                              up_to(1'000'000), up_to(3) == 0 ? 1 + up_to(1'000'000) : 1});
    }
  }
  return at_new_times(std::move(recorded), random, start_ns);
}

RankRecording random_recording(std::mt19937_64& random, int ranks, int iterations) {
  RankRecording recording;
  std::int64_t time_ns = 1'700'000'000'000'000'000;
  for (int i = 0; i < iterations; ++i) {
    const bool same_shape = !recording.empty() && random() % 4 != 0;
    recording.push_back(same_shape ? at_new_times(recording[random() % recording.size()], random, time_ns)
                                   : random_iteration(random, ranks, time_ns));
    time_ns = recording.back().time.end_ns;
  }
  return recording;
}

void play(Recorder& recorder, const RankRecording& recording) {
  for (const RecordedIteration& recorded : recording) {
    const Iteration& iteration = recorded.iteration;
    now_ns = recorded.time.start_ns;
    recorder.begin_iteration();
    for (std::size_t p = 0; p < iteration.phases.size(); ++p) {
      const Phase& phase = iteration.phases[p];
      now_ns = recorded.phases[p].start_ns;
      recorder.begin_phase(phase.kind, phase.memory_bytes);
      for (std::int32_t m = 0; m < phase.message_count; ++m) {
        const auto message = static_cast<std::size_t>(phase.first_message + m);
        now_ns = recorded.messages[message].start_ns;
        recorder.post(iteration.messages[message]);
      }
      now_ns = recorded.phases[p].end_ns;
      recorder.end_phase();
    }
    // The clock may be put back here, so a message may end before the phase that follows its own.
    std::vector<std::size_t> order(recorded.messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return recorded.messages[a].end_ns < recorded.messages[b].end_ns;
    });
    for (const std::size_t message : order) {
      now_ns = recorded.messages[message].end_ns;
      recorder.complete(static_cast<int>(message));
    }
    now_ns = recorded.time.end_ns;
    recorder.end_iteration();
  }
}

bool record(const std::filesystem::path& folder, int rank, const RankRecording& recording,
            std::int64_t resolution_ns) {
  Recorder recorder(folder, rank, read_clock, resolution_ns);
  play(recorder, recording);
  return recorder.finish();
}

Manifest manifest_of(int ranks, std::int64_t iterations) {
  Manifest manifest;
  manifest.run.problem = HeatProblem{100, 200, 1, ranks};
  manifest.run.ranks = ranks;
  manifest.run.ranks_per_node = ranks;
  manifest.run.iterations = iterations;
  manifest.implementation = "test";
  manifest.complete = true;
  manifest.recorded_at = "2024-01-31T12:00:00Z";
  manifest.environment = {{"cpu", "made up"}};
  manifest.offsets_at_start.resize(static_cast<std::size_t>(ranks));
  manifest.offsets_at_end.resize(static_cast<std::size_t>(ranks));
  return manifest;
}

void record_trace(const std::filesystem::path& folder, const std::vector<RankRecording>& ranks) {
  for (std::size_t r = 0; r < ranks.size(); ++r)
    record(folder, static_cast<int>(r), ranks[r]);
  write_manifest(folder,
                 manifest_of(static_cast<int>(ranks.size()), static_cast<std::int64_t>(ranks[0].size())));
}

std::string with_right_checksum(const std::string& manifest) {
  const std::string body = manifest.substr(0, manifest.rfind(",\n  \"checksum\""));
  return body + fmt::format(",\n  \"checksum\": \"{:016x}\"\n}}\n", checksum(std::as_bytes(std::span(body))));
}

RankRecording read_all(const Trace& trace, int rank) {
  RankRecording recording;
  Trace::RankReader reader = trace.rank(rank);
  while (auto iteration = reader.next())
    recording.push_back(std::move(*iteration));
  return recording;
}

std::string error_of(const Trace& trace, int rank, RankRecording& read) {
  try {
    Trace::RankReader reader = trace.rank(rank);
    while (auto iteration = reader.next())
      read.push_back(std::move(*iteration));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  // A file that is there is written over, not emptied first: then file systems may wait for the disk.
  const auto mode = std::filesystem::exists(path) ? std::ios::in | std::ios::out : std::ios::out;
  std::fstream(path, std::ios::binary | mode) << bytes;
  std::filesystem::resize_file(path, bytes.size());
}

}  // namespace finegrain::test
