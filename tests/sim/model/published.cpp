// SPDX-License-Identifier: MIT
#include "sim/model/published.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace finegrain;
using namespace finegrain::model;

TEST_CASE("published tables: the first and the last row of Table 4 are as printed") {
  const auto rows = published_spmv();
  REQUIRE(rows.size() == 7);
  CHECK(rows.front().ranks == 16);
  CHECK(rows.front().block_size == 65536);
  CHECK(rows.front().individual.measured_s == 28.80);
  CHECK(rows.back().ranks == 1024);
  CHECK(rows.back().block.predicted_s == 8.15);
  CHECK(rows.back().condensed.predicted_s == 3.55);
}

TEST_CASE("published tables: the last row of Table 5 is as printed") {
  const auto rows = published_heat();
  REQUIRE(rows.size() == 12);
  CHECK(rows.back().problem.rows == 40000);
  CHECK(rows.back().problem.mprocs * rows.back().problem.nprocs == 512);
  CHECK(rows.back().halo.measured_s == 0.29);
  CHECK(rows.back().compute.predicted_s == 15.26);
}

TEST_CASE("published tables: the papers' 75 GB/s is 78.6432 GB/s") {
  CHECK(published_abel().memory_bandwidth_bytes_per_s == 78.6432e9);
}

}  // namespace
