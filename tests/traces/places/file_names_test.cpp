// SPDX-License-Identifier: MIT
#include "traces/places/file_names.hpp"

#include <catch2/catch.hpp>

namespace finegrain::places {
namespace {

TEST_CASE("a file is named without its folders where no other has its name") {
  FileNames files;
  files.add("/src/ocean/halo.c");
  files.add("/src/ocean/halo.c");
  files.add("/src/ocean/other_halo.c");
  CHECK(files.name("/src/ocean/halo.c") == "halo.c");
  CHECK(files.name("/src/ocean/./halo.c") == "halo.c");
}

TEST_CASE("files of one name are told apart by as many folders as that takes") {
  FileNames files;
  files.add("/src/ocean/halo.c");
  files.add("/src/ice/halo.c");
  files.add("/a/left/inner/main.c");
  files.add("/a/right/inner/main.c");
  CHECK(files.name("/src/ocean/halo.c") == "ocean/halo.c");
  CHECK(files.name("/src/ice/halo.c") == "ice/halo.c");
  CHECK(files.name("/a/left/inner/main.c") == "left/inner/main.c");
  CHECK(files.name("/a/right/inner/main.c") == "right/inner/main.c");
}

TEST_CASE("a path that is the end of another one is named as it is") {
  FileNames files;
  files.add("halo.c");
  files.add("/src/halo.c");
  CHECK(files.name("halo.c") == "halo.c");
  CHECK(files.name("/src/halo.c") == "src/halo.c");
}

}  // namespace
}  // namespace finegrain::places
