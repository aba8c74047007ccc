// SPDX-License-Identifier: MIT
// Table III of the thesis' Paper I: what NPB's CG moves over a node's memory.
#include "sim/validation/memory_traffic.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::validation;

namespace {

platform::PlatformCosts costs_with_allocation() {
  platform::PlatformCosts costs;
  costs.cache_line_bytes = 64;
  costs.copy_allocate_bytes = 32;
  return costs;
}

}  // namespace

TEST_CASE("CG of one process moves 12 bytes of each nonzero in each product, and copies nothing") {
  const CgTraffic one = cg_traffic("S", {1}, costs_with_allocation()).front();
  // NPB's programs print 78,148 nonzeros for class S.
  CHECK(one.matrix_bytes == 12. * 78'148 * 26 * 15);
  CHECK(one.copies_bytes == 0);
  // In doubles a row: 4 and 2 and 2 around the steps, 26 products of 2, p before 25 of them 3, z and r 25
  // times 6, and a transposition (copied: 2) and its scalar product (2) 26 times.
  CHECK(one.vectors_bytes == 15. * 8 * 1'400 * (4 + 2 + 2 + 26 * 2 + 25 * 3 + 25 * 6 + 26 * (2 + 2)));
}

TEST_CASE("CG's messages within a node move 2 bytes a byte, and what a copy reads first") {
  const CgTraffic four = cg_traffic("S", {4}, costs_with_allocation()).front();
  const double sent = 8 * (4 * (26 * 700 + 1 + 25 * 2 + 1 + 2) + 2 * 26 * 700);
  CHECK(four.copies_bytes == Approx(15 * sent * (2 + 32. / 64)));
}

TEST_CASE("Table III has 8 rows of CG, and what 16 processes send") {
  const std::vector<MeasuredTraffic> all = published_cg_traffic();
  REQUIRE(all.size() == 8);
  CHECK(all.front().processes == 1);
  CHECK(all.front().mpi_gb == 833.52);
  CHECK(all.front().sent_gb == 0);
  // 75 x 26 products, 3 messages (2 to add up, 1 to transpose) of a quarter of 150,000 doubles each.
  CHECK(all.back().sent_gb == Approx(75. * 26 * 16 * 3 * 150'000 / 4 * 8 / 1e9).epsilon(1e-3));
}
