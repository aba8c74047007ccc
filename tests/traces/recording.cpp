// SPDX-License-Identifier: MIT
#include "tests/traces/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>

#include "traces/rank_file.hpp"

namespace finegrain::test {

TraceFolder::TraceFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "finegrain-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TraceFolder::~TraceFolder() {
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
  iteration.posts.clear();
  iteration.regions.clear();
  for (const Region& region : iteration.body.regions) {
    Interval& interval = iteration.regions.emplace_back();
    interval.start_ns = time_ns += up_to(100);
    for_each_post(iteration.body.operations_of(region), [&](const Post&) {
      iteration.posts.push_back({time_ns += up_to(500), 0});
    });
    interval.end_ns = time_ns += up_to(100'000);
  }
  for (Interval& post : iteration.posts)
    post.end_ns = post.start_ns + up_to(time_ns - post.start_ns);
  iteration.time.end_ns = time_ns + up_to(100);
  return iteration;
}

RecordedIteration random_iteration(std::mt19937_64& random, int ranks, std::int64_t start_ns) {
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  const auto one_in = [&](std::int64_t n) { return up_to(n - 1) == 0; };
  constexpr std::array names{regions::pack,   regions::put,     regions::get,
                             regions::send,   regions::receive, regions::wait,
                             regions::unpack, regions::compute, regions::barrier};
  RecordedIteration recorded;
  Body& body = recorded.body;
  std::int64_t requests = 0;
  const std::int64_t regions = up_to(6);
  for (std::int64_t r = 0; r < regions; ++r) {
    const auto name = static_cast<std::size_t>(up_to(names.size()));
    body.begin_region(name < names.size() ? names[name] : RegionName(fmt::format("own {}", up_to(9))));
    if (one_in(2)) {
      Work work{up_to(1'000'000'000'000), up_to(1000), up_to(1'000'000)};
      if (one_in(2)) work.calls = up_to(1'000'000);
      if (one_in(2)) work.steps = up_to(1'000'000'000);
      body.add(work);
    }
    const std::int64_t posts = one_in(2) ? 0 : up_to(12);
    for (std::int64_t p = 0; p < posts; ++p) {
      const Post post{.kind = static_cast<TransferKind>(up_to(5)),
                      .blocking = one_in(3),
                      .private_memory = one_in(2),
                      .peer = static_cast<std::int32_t>(up_to(ranks - 1)),
                      .tag = one_in(4) ? static_cast<std::int32_t>(up_to(2'000'000)) - 1'000'000 : 0,
                      .communicator = one_in(4) ? static_cast<std::int32_t>(up_to(9)) : 0,
                      .size_bytes = up_to(1'000'000),
                      .repeat = one_in(4) ? 1 + up_to(1'000'000) : 1};
      body.add(post);
      requests += makes_request(post) ? 1 : 0;
    }
    if (requests > 0 && one_in(3)) {
      const std::int64_t oldest = 1 + up_to(requests - 1);
      body.add(Complete{oldest, 1 + up_to(oldest - 1)});
    }
    if (one_in(3)) body.add(Complete::all());
    if (one_in(4)) body.add(Collective{});
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
    const Body& body = recorded.body;
    now_ns = recorded.time.start_ns;
    recorder.begin_iteration();
    auto posted = recorded.posts.begin();
    for (std::size_t r = 0; r < body.regions.size(); ++r) {
      now_ns = recorded.regions[r].start_ns;
      recorder.begin_region(body.regions[r].name);
      for (const Operation& operation : body.operations_of(body.regions[r])) {
        if (std::holds_alternative<Post>(operation)) now_ns = (posted++)->start_ns;
        recorder.add(operation);
      }
      now_ns = recorded.regions[r].end_ns;
      recorder.end_region();
    }
    // The clock may be put back here, so a transfer may end before the region that follows its own.
    std::vector<std::size_t> order(recorded.posts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return recorded.posts[a].end_ns < recorded.posts[b].end_ns;
    });
    for (const std::size_t post : order) {
      now_ns = recorded.posts[post].end_ns;
      recorder.ended(static_cast<int>(post));
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
  manifest.run.problem = {
      "heat", {{"rows", 100}, {"columns", 200}, {"mprocs", 1}, {"nprocs", ranks}, {"update", "swap"}}};
  manifest.run.policy = "condensed";
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
