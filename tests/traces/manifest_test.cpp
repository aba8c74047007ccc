// SPDX-License-Identifier: MIT
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/traces/recording.hpp"

namespace finegrain {
namespace {

using namespace test;

void require_equal(const Manifest& a, const Manifest& b) {
  CHECK(a.run == b.run);
  CHECK(a.implementation == b.implementation);
  CHECK(a.warmup_iterations == b.warmup_iterations);
  CHECK(a.oversubscribed == b.oversubscribed);
  CHECK(a.complete == b.complete);
  CHECK(a.recorded_at == b.recorded_at);
  CHECK(a.environment == b.environment);
  const auto same = [](const std::vector<ClockOffset>& x, const std::vector<ClockOffset>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const ClockOffset& p, const ClockOffset& q) {
      return p.at_ns == q.at_ns && p.offset_ns == q.offset_ns;
    });
  };
  CHECK(same(a.offsets_at_start, b.offsets_at_start));
  CHECK(same(a.offsets_at_end, b.offsets_at_end));
}

TEST_CASE("every member of a manifest is read back") {
  Manifest manifest = manifest_of(2, 1000);
  manifest.run.problem = {"spmv",
                          {{"matrix", "heart \"1\".fgm"}, {"rows", 6'810'586}, {"blocksize", -65'536}}};
  manifest.run.policy = "block";
  manifest.run.transfer = Transfer::put;
  manifest.run.completion = Completion::overlapped;
  manifest.run.ranks_per_node = 16;
  manifest.run.threads_per_rank = 3;
  manifest.warmup_iterations = 5;
  manifest.oversubscribed = true;
  manifest.complete = false;
  manifest.environment = {{"cpu", "E5-2670\n"}, {"pinning", ""}};
  manifest.offsets_at_start = {{1, -2}, {9'000'000'000'000'000'000, -9'000'000'000'000'000'000}};
  manifest.offsets_at_end = {};
  const TraceFolder folder;
  write_manifest(folder.path() / "new", manifest);
  require_equal(read_manifest(folder.path() / "new"), manifest);
}

TEST_CASE("every policy, transfer, completion and update is read back") {
  Manifest manifest = manifest_of(2, 1);
  const auto check = [&] {
    const TraceFolder folder;
    write_manifest(folder.path(), manifest);
    CHECK(read_manifest(folder.path()).run == manifest.run);
  };
  for (const char* policy : {"naive", "individual", "block", "condensed"}) {
    manifest.run.policy = policy;
    check();
  }
  for (const Transfer transfer : {Transfer::get, Transfer::put, Transfer::two_sided}) {
    manifest.run.transfer = transfer;
    check();
  }
  for (const Completion completion : {Completion::each, Completion::together, Completion::overlapped}) {
    manifest.run.completion = completion;
    check();
  }
  for (const char* update : {"swap", "copy"}) {
    manifest.run.problem.settings["update"] = update;
    check();
  }
}

TEST_CASE("a run's description leaves out the completion where it is the usual one") {
  Run run{.problem = {"spmv", {}}, .policy = "condensed"};
  const auto with = [&](Transfer transfer, Completion completion) {
    run.transfer = transfer;
    run.completion = completion;
    return describe(run);
  };
  CHECK(with(Transfer::two_sided, Completion::together) == "spmv condensed two-sided");
  CHECK(with(Transfer::two_sided, Completion::overlapped) == "spmv condensed two-sided overlapped");
  CHECK(with(Transfer::put, Completion::each) == "spmv condensed put");
  CHECK(with(Transfer::put, Completion::together) == "spmv condensed put together");
  run.problem = {"heat", {}};
  CHECK(with(Transfer::get, Completion::overlapped) == "heat condensed get overlapped");
}

TEST_CASE("a manifest with text that is not UTF-8 can be read again") {
  const TraceFolder folder;
  Manifest manifest = manifest_of(1, 1);
  manifest.environment["cpu"] = "caf\xe9";
  write_manifest(folder.path(), manifest);
  REQUIRE_THAT(read_manifest(folder.path()).environment["cpu"], Catch::StartsWith("caf"));
}

/// The error of reading a manifest with one text replaced by another.
std::string error_with(const std::string& text, const std::string& replacement) {
  const TraceFolder folder;
  write_manifest(folder.path(), manifest_of(2, 10));
  std::string json = read_file(folder.path() / manifest_file_name);
  const std::size_t at = json.find(text);
  REQUIRE(at != std::string::npos);
  json.replace(at, text.size(), replacement);
  try {
    parse_manifest(with_right_checksum(json), "m.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a manifest's errors name the file and the member, or the byte") {
  CHECK_THAT(error_with("\"ranks\"", "\"rank\""), Catch::StartsWith("m.json: run.ranks is missing"));
  CHECK_THAT(error_with("\"ranks\": 2", "\"ranks\": \"2\""),
             Catch::StartsWith("m.json: run.ranks is no integer"));
  CHECK_THAT(error_with("\"ranks\": 2", "\"ranks\": 2.5"),
             Catch::StartsWith("m.json: run.ranks is no integer"));
  CHECK_THAT(error_with("\"ranks\": 2", "\"ranks\": 0"),
             Catch::StartsWith("m.json: run.ranks is no integer between 1"));
  CHECK_THAT(error_with("\"ranks\": 2", "\"ranks\": 3"),
             Catch::StartsWith("m.json: offsets_at_start is no list of 3 clock offsets"));
  CHECK_THAT(error_with("\"iterations\": 10", "\"iterations\": 18446744073709551615"),
             Catch::StartsWith("m.json: run.iterations is no integer"));
  CHECK_THAT(error_with("\"iterations\": 10", "\"iterations\": 1000000001"),
             Catch::StartsWith("m.json: run.iterations is no integer between 0 and 1000000000"));
  CHECK_THAT(error_with("\"iterations\": 10", "\"iterations\": 1e999"),
             Catch::StartsWith("m.json: holds a number that is too large"));
  CHECK_THAT(error_with("\"complete\": true", "\"complete\": 1"),
             Catch::StartsWith("m.json: complete is neither"));
  CHECK_THAT(error_with("\"condensed\"", "3"), Catch::StartsWith("m.json: run.policy is no text"));
  CHECK_THAT(error_with("\"two-sided\"", "\"one-sided\""),
             Catch::StartsWith("m.json: run.transfer is 'one-sided'"));
  CHECK_THAT(error_with("\"together\"", "\"never\""), Catch::StartsWith("m.json: run.completion is 'never'"));
  CHECK_THAT(error_with("\"swap\"", "[1]"), Catch::StartsWith("m.json: run.problem.update is no integer"));
  CHECK_THAT(error_with("\"heat\"", "4"), Catch::StartsWith("m.json: run.problem.pattern is no text"));
  CHECK_THAT(error_with("\"made up\"", "7"), Catch::StartsWith("m.json: environment.cpu is no text"));
  CHECK_THAT(error_with("\"at_ns\": 0", "\"at_ns\": null"),
             Catch::StartsWith("m.json: offsets_at_start[0].at_ns is no integer"));
  CHECK_THAT(error_with("\"version\": 4", "\"version\": 5"), Catch::StartsWith("m.json: version is 5"));
  CHECK_THAT(error_with("finegrain trace", "other"),
             Catch::StartsWith("m.json: format is not 'finegrain trace'"));
  CHECK_THAT(error_with("{", "["), Catch::StartsWith("m.json: byte "));
}

TEST_CASE("a manifest of a version that had no checksum is refused for its version") {
  CHECK_THROWS_WITH(parse_manifest(R"({"format": "finegrain trace", "version": 2})", "m.json"),
                    Catch::StartsWith("m.json: version is 2 (this finegrain reads 4)"));
}

TEST_CASE("a manifest without its checksum, or with another, is an error that names the byte") {
  const TraceFolder folder;
  write_manifest(folder.path(), manifest_of(2, 10));
  const std::string json = read_file(folder.path() / manifest_file_name);
  REQUIRE(with_right_checksum(json) == json);
  const auto error_of_text = [](const std::string& text) {
    try {
      parse_manifest(text, "m.json");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string without = json.substr(0, json.rfind(",\n  \"checksum\"")) + "\n}\n";
  CHECK_THAT(error_of_text(without),
             Catch::Contains("byte " + std::to_string(without.size()) + ": does not end with its checksum"));
  CHECK_THAT(error_of_text(json + "\n"), Catch::Contains("does not end with its checksum"));
}

TEST_CASE("a manifest that claims more ranks than it has clock offsets is an error, not an allocation") {
  CHECK_THAT(error_with("\"offsets_at_start\": [\n    {\n      \"at_ns\": 0,\n      \"offset_ns\": 0\n    },",
                        "\"offsets_at_start\": ["),
             Catch::StartsWith("m.json: offsets_at_start is no list of 2 clock offsets"));
  const TraceFolder folder;
  Manifest manifest = manifest_of(1, 1);
  manifest.run.ranks = 2'000'000'000;
  manifest.run.problem = {"heat", {{"nprocs", manifest.run.ranks}}};
  manifest.offsets_at_start.clear();
  manifest.offsets_at_end.clear();
  write_manifest(folder.path(), manifest);
  CHECK_THROWS_WITH(Trace(folder.path()), Catch::Contains("offsets_at_start is empty, for 2000000000 ranks"));
}

TEST_CASE("a folder without a manifest is an error that names it") {
  const TraceFolder folder;
  REQUIRE_THROWS_WITH(Trace(folder.path()),
                      Catch::StartsWith((folder.path() / manifest_file_name).string() + ": "));
}

TEST_CASE("pipes in place of a trace's files are an error, nobody waits for their writers") {
  const TraceFolder folder;
  REQUIRE(::mkfifo((folder.path() / manifest_file_name).c_str(), 0666) == 0);
  CHECK_THROWS_WITH(Trace(folder.path()), Catch::Contains("manifest.json: cannot be read"));
  std::filesystem::remove(folder.path() / manifest_file_name);
  write_manifest(folder.path(), manifest_of(1, 1));
  REQUIRE(::mkfifo((folder.path() / "rank_00000.fgt").c_str(), 0666) == 0);
  CHECK_THROWS_WITH(read_all(Trace(folder.path()), 0),
                    Catch::Contains("rank_00000.fgt: is not a regular file"));
}

TEST_CASE("a trace is removed with its files, or not at all if its folder holds anything else") {
  const TraceFolder folder;
  write_manifest(folder.path(), manifest_of(1, 1));
  write_file(folder.path() / "rank_00000.fgt", "x");
  write_file(folder.path() / "notes.txt", "dear diary");
  CHECK_THROWS_WITH(remove_trace(folder.path()), Catch::Contains("notes.txt: is no file of a trace"));
  CHECK(std::filesystem::exists(folder.path() / manifest_file_name));
  std::filesystem::remove(folder.path() / "notes.txt");
  remove_trace(folder.path());
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace finegrain
