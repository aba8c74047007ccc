// SPDX-License-Identifier: MIT
#include "traces/packed_trace.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/traces/recording.hpp"
#include "traces/diff.hpp"
#include "traces/verify.hpp"

namespace finegrain {
namespace {

using namespace test;

/// A trace in folder/trace, packed into folder/trace.tar.
class PackedTrace {
 public:
  explicit PackedTrace(int rank_count = 3, int iterations = 5) {
    std::mt19937_64 random(2);
    for (int rank = 0; rank < rank_count; ++rank)
      ranks.push_back(random_recording(random, rank_count, iterations));
    record_trace(path("trace"), ranks);
    write_file(path("trace") / "notes.txt", "not part of the trace");
    pack_trace(path("trace"), path("trace.tar"));
  }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  std::vector<RankRecording> ranks;

 private:
  TemporaryFolder folder_;
};

TEST_CASE("a packed trace reads as its folder does") {
  const PackedTrace packed;
  const Trace trace(packed.path("trace.tar"));
  for (int rank = 0; rank < 3; ++rank)
    CHECK(read_all(trace, rank) == packed.ranks[static_cast<std::size_t>(rank)]);
  CHECK(diff(Trace(packed.path("trace")), trace).equal());
}

TEST_CASE("packing twice gives the same bytes") {
  const PackedTrace packed;
  pack_trace(packed.path("trace"), packed.path("again.tar"));
  CHECK(read_file(packed.path("trace.tar")) == read_file(packed.path("again.tar")));
}

TEST_CASE("a packed trace is a tar that tar unpacks to the same files, and packs so that it reads again") {
  const PackedTrace packed;
  std::filesystem::create_directory(packed.path("out"));
  const auto run = [](const std::string& command) { return std::system(command.c_str()); };
  const std::string out = packed.path("out").string();
  REQUIRE(run("tar -C '" + out + "' -xf '" + packed.path("trace.tar").string() + "'") == 0);
  for (const char* name : {"manifest.json", "rank_00000.fgt", "rank_00001.fgt", "rank_00002.fgt"})
    CHECK(read_file(packed.path("out") / name) == read_file(packed.path("trace") / name));
  CHECK_FALSE(std::filesystem::exists(packed.path("out") / "notes.txt"));
  for (const char* format : {"gnu", "pax", "ustar"}) {
    REQUIRE(run("cd '" + out + "' && tar --format=" + format + " -cf ../other.tar *") == 0);
    CHECK(read_all(Trace(packed.path("other.tar")), 2) == packed.ranks[2]);
  }
}

TEST_CASE("a tar with entries outside a trace is refused") {
  const PackedTrace packed;
  const std::string in_folder = "cd '" + packed.path("trace").string() + "' && ";
  const auto error_of_tar = [&](const std::string& tar_arguments) -> std::string {
    REQUIRE(std::system((in_folder + "tar -cf ../bad.tar " + tar_arguments).c_str()) == 0);
    try {
      Trace trace(packed.path("bad.tar"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(error_of_tar("manifest.json ./rank_00000.fgt"),
             Catch::Contains("'./rank_00000.fgt' is no file of a trace"));
  CHECK_THAT(error_of_tar("-P manifest.json ../trace/rank_00000.fgt"),
             Catch::Contains("is no file of a trace"));
  CHECK_THAT(error_of_tar("manifest.json notes.txt"), Catch::Contains("'notes.txt' is no file of a trace"));
  CHECK_THAT(error_of_tar("rank_00000.fgt"), Catch::Contains("has no manifest.json"));
  CHECK_THAT(error_of_tar("manifest.json manifest.json --hard-dereference"),
             Catch::Contains("'manifest.json' is there twice"));
  std::filesystem::create_symlink("/etc/passwd", packed.path("trace") / "rank_00007.fgt");
  CHECK_THAT(error_of_tar("manifest.json rank_00007.fgt"),
             Catch::Contains("'rank_00007.fgt' is no file of a trace"));
}

/// Opens and reads all of it; anything but an InputError gets out.
void try_reading(const std::filesystem::path& file) {
  try {
    verify(Trace(file));
  } catch (const InputError&) {
  }
}

TEST_CASE("a packed trace changed anywhere reads or is an InputError, nothing else") {
  const PackedTrace packed(1, 1);
  const std::string bytes = read_file(packed.path("trace.tar"));
  const std::size_t padding = bytes.find_last_not_of('\0') + 1;
  for (std::size_t at = 0; at < padding; ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x11);
    write_file(packed.path("changed.tar"), changed);
    REQUIRE_NOTHROW(try_reading(packed.path("changed.tar")));
  }
}

TEST_CASE("a packed trace cut anywhere before its padding does not verify") {
  const PackedTrace packed;
  const std::string bytes = read_file(packed.path("trace.tar"));
  const std::size_t data_end = bytes.find_last_not_of('\0') + 1;
  for (std::size_t size = 0; size < data_end; size += 7) {
    CAPTURE(size);
    write_file(packed.path("cut.tar"), bytes.substr(0, size));
    bool ok = false;
    try {
      ok = verify(Trace(packed.path("cut.tar"))).ok();
    } catch (const InputError&) {
    }
    REQUIRE_FALSE(ok);
  }
}

TEST_CASE("packing what is no trace leaves no file") {
  const PackedTrace packed;
  std::filesystem::create_directory(packed.path("empty"));
  REQUIRE_THROWS_AS(pack_trace(packed.path("empty"), packed.path("empty.tar")), InputError);
  REQUIRE_FALSE(std::filesystem::exists(packed.path("empty.tar")));
  REQUIRE_THROWS_AS(pack_trace(packed.path("trace"), packed.path("no-folder") / "t.tar"), InputError);
}

}  // namespace
}  // namespace finegrain
