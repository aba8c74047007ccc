// SPDX-License-Identifier: MIT
#include "traces/places/places_file.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/traces/recording.hpp"
#include "traces/file_slice.hpp"
#include "traces/io/input_error.hpp"
#include "traces/manifest.hpp"

namespace finegrain::places {
namespace {

const KnownLines lines = {
    {{"1c91", 0x1135}, {{"exchange", "/home/me/halo.h", 8}, {"main", "/home/me/halo.c", 20}}},
    {{"1c91", 0x1204}, {{"main", "/home/me/halo.c", 21}}},
    {{"93ac", 0x1204}, {{"start", "", 0}}},
};

TEST_CASE("names of places are read as they were written") {
  const test::TraceFolder folder;
  write_places(lines, folder.path());
  CHECK(read_places(FileSlice(folder.path() / places_file_name)) == lines);
}

TEST_CASE("names of a hundred lines take less than ten bytes a line") {
  const test::TraceFolder folder;
  KnownLines many;
  for (int line = 1; line <= 100; ++line)
    many[{"1c91", static_cast<std::uint64_t>(0x1000 + 13 * line)}] = {{"main", "/home/me/halo.c", line}};
  write_places(many, folder.path());
  CHECK(std::filesystem::file_size(folder.path() / places_file_name) < 1000);
}

TEST_CASE("version 1 of the names of places is read") {
  const test::TraceFolder folder;
  const auto path = folder.path() / places_file_name_of_version_1;
  test::write_file(path, R"({"format": "finegrain places", "version": 1, "objects": [
    {"file": "halo", "build_id": "1c91", "addresses": {
      "1135": [{"function": "exchange", "file": "/home/me/halo.h", "line": 8},
               {"function": "main", "file": "/home/me/halo.c", "line": 20}],
      "1204": [{"function": "main", "file": "/home/me/halo.c", "line": 21}]}},
    {"file": "libc.so.6", "build_id": "93ac", "addresses": {
      "1204": [{"function": "start", "file": "", "line": 0}]}}]})");
  CHECK(read_places(FileSlice(path)) == lines);
}

TEST_CASE("damaged names of places are refused by the file's name") {
  const test::TraceFolder folder;
  write_places(lines, folder.path());
  const auto path = folder.path() / places_file_name;
  const std::string whole = test::read_file(path);
  const auto problem = [&](const std::string& bytes) -> std::string {
    test::write_file(path, bytes);
    try {
      read_places(FileSlice(path));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(problem(""), Catch::StartsWith(path.string() + ": does not hold names of places"));
  CHECK_THAT(problem("nothing"), Catch::StartsWith(path.string() + ": does not hold names of places"));
  CHECK_THAT(problem(whole.substr(0, whole.size() / 2)),
             Catch::StartsWith(path.string() + ": does not hold names of places"));
  CHECK_THAT(problem(R"({"format": "finegrain places", "version": 3})"),
             Catch::Contains("is not version 1 or 2 of a trace's names of places"));
  CHECK_THAT(problem(R"({"format": "finegrain places", "version": 2, "texts": ["main"], "objects": [
               {"build_id": "1c91", "addresses": {"1135": [0, 7, 1]}}]})"),
             Catch::Contains("does not hold names of places"));
}

}  // namespace
}  // namespace finegrain::places
