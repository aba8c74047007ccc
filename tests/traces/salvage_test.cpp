// SPDX-License-Identifier: MIT
#include "traces/salvage.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/traces/recording.hpp"
#include "traces/packed_trace.hpp"

namespace finegrain {
namespace {

using namespace test;
using Catch::Contains;

/// Three ranks of a run of 100 iterations, whose files end as those of killed ranks do: each after a chunk of
/// its own length, the last one with half a chunk.
struct KilledTrace {
  TraceFolder folder;
  std::filesystem::path path = folder.path() / "trace";
  std::vector<RankRecording> ranks;

  explicit KilledTrace(std::int64_t resolution_ns = 1) {
    std::mt19937_64 random(7);
    for (const int iterations : {9, 6, 8}) {
      const int rank = static_cast<int>(ranks.size());
      ranks.push_back(random_recording(random, 3, iterations));
      record(path, rank, ranks.back(), resolution_ns);
      const std::filesystem::path file = path / ("rank_0000" + std::to_string(rank) + ".fgt");
      constexpr std::uintmax_t end_mark_bytes = 48;
      std::filesystem::resize_file(file, std::filesystem::file_size(file) - end_mark_bytes);
      if (rank == 2) write_file(file, read_file(file) + "FGCK");
    }
    Manifest manifest = manifest_of(3, 100);
    manifest.complete = false;
    manifest.offsets_at_start = {{0, 0}, {5, -1000}, {7, 2000}};
    manifest.offsets_at_end.clear();
    write_manifest(path, manifest);
  }
};

std::string all_bytes(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(folder), {});
  std::ranges::sort(files);
  std::string bytes;
  for (const auto& file : files)
    bytes += file.filename().string() + read_file(file);
  return bytes;
}

TEST_CASE("salvage keeps the iterations that all ranks have, as they were recorded, and the trace is whole") {
  const KilledTrace killed;
  const std::string before = all_bytes(killed.path);
  const std::filesystem::path out = killed.folder.path() / "salvaged";
  const Verification found = salvage(killed.path, out);
  CHECK(found.iterations_of_all == 6);
  CHECK(found.ranks[0].iterations == 9);
  CHECK(all_bytes(killed.path) == before);

  const Trace original(killed.path);
  const Trace salvaged(out);
  const Verification now = verify(salvaged);
  CHECK(now.manifest_complete);
  CHECK(now.iterations_expected == 6);
  CHECK(now.pairs_checked);
  CHECK(salvaged.manifest().environment.at("salvaged") == "6 of 100 iterations");
  for (int rank = 0; rank < 3; ++rank) {
    RankRecording all;
    CHECK_THAT(error_of(original, rank, all), Contains("killed"));
    all.resize(6);
    CHECK(read_all(salvaged, rank) == all);
  }
}

TEST_CASE("a salvaged trace is as compact as the recording was: its times have the same resolution") {
  const KilledTrace killed(1000);
  salvage(killed.path, killed.folder.path() / "salvaged");
  const auto bytes = [](const std::filesystem::path& folder) {
    return std::filesystem::file_size(folder / "rank_00001.fgt");
  };
  // All of rank 1 is kept, and its file gets the end mark.
  CHECK(bytes(killed.folder.path() / "salvaged") == bytes(killed.path) + 48);
}

TEST_CASE("a packed trace is salvaged as its folder is") {
  const KilledTrace killed;
  const std::filesystem::path tar = killed.folder.path() / "trace.tar";
  pack_trace(killed.path, tar);
  salvage(killed.path, killed.folder.path() / "of folder");
  salvage(tar, killed.folder.path() / "of tar");
  CHECK(all_bytes(killed.folder.path() / "of folder") == all_bytes(killed.folder.path() / "of tar"));
}

TEST_CASE("a damaged byte costs a whole trace the iterations after it") {
  const TraceFolder folder;
  std::mt19937_64 random(8);
  const RankRecording recording = [&] {
    RankRecording all;
    for (std::int64_t i = 0; i < 6; ++i)  // a chunk holds those of two seconds
      all.push_back(random_iteration(random, 1, 1'500'000'000 * i));
    return all;
  }();
  record_trace(folder.path() / "trace", {recording});
  const std::filesystem::path file = folder.path() / "trace" / "rank_00000.fgt";
  std::string bytes = read_file(file);
  bytes[bytes.size() - 48 - 1] ^= 1;
  write_file(file, bytes);
  const Verification found = salvage(folder.path() / "trace", folder.path() / "salvaged");
  CHECK(found.ranks[0].state == FileState::damaged);
  REQUIRE(found.iterations_of_all > 0);
  REQUIRE(found.iterations_of_all < 6);
  const Verification now = verify(Trace(folder.path() / "salvaged"));
  CHECK(now.ranks[0].state == FileState::whole);
  CHECK(now.iterations_of_all == now.iterations_expected);
}

TEST_CASE("the trace of an MPI program is not salvaged, and what reads it is named") {
  const KilledTrace killed;
  Manifest manifest = manifest_of(3, 100);
  manifest.run.problem = {"program", {{"command", "./made_up"}}};
  write_manifest(killed.path, manifest);
  const std::filesystem::path out = killed.folder.path() / "salvaged";
  CHECK_THROWS_WITH(salvage(killed.path, out),
                    Contains("is of an MPI program") && Contains("replay, compare, report and sensitivity"));
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("what cannot be salvaged is an input error, and writes nothing") {
  const KilledTrace killed;
  const std::filesystem::path out = killed.folder.path() / "salvaged";
  CHECK_THROWS_WITH(salvage(killed.path, killed.path), Contains("exists (a trace is never overwritten)"));
  salvage(killed.path, out);
  CHECK_THROWS_WITH(salvage(out, killed.folder.path() / "again"), Contains("is whole"));

  const std::filesystem::path rank_1 = killed.path / "rank_00001.fgt";
  std::filesystem::resize_file(rank_1, 24);
  CHECK_THROWS_WITH(salvage(killed.path, killed.folder.path() / "again"), Contains("no iteration of rank 1"));
  std::filesystem::remove(rank_1);
  CHECK_THROWS_WITH(salvage(killed.path, killed.folder.path() / "again"),
                    Contains("no iteration of rank 1") && Contains("is missing"));
  CHECK_FALSE(std::filesystem::exists(killed.folder.path() / "again"));
}

}  // namespace
}  // namespace finegrain
