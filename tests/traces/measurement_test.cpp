// SPDX-License-Identifier: MIT
#include "traces/measurement.hpp"

#include <catch2/catch.hpp>

#include "tests/traces/recording.hpp"
#include "traces/quantile.hpp"

namespace finegrain {
namespace {

using namespace test;

/// An iteration of a pack and a compute phase, one after the other.
RecordedIteration iteration(std::int64_t start_ns, std::int64_t pack_ns, std::int64_t compute_ns) {
  RecordedIteration recorded;
  recorded.body.begin_region(regions::pack);
  recorded.body.begin_region(regions::compute);
  const std::int64_t packed_ns = start_ns + pack_ns;
  recorded.time = {start_ns, packed_ns + compute_ns};
  recorded.regions = {{start_ns, packed_ns}, {packed_ns, packed_ns + compute_ns}};
  return recorded;
}

TEST_CASE("measure: a phase is its rank's median, an iteration the median of its slowest ranks' times") {
  const TraceFolder folder;
  record_trace(folder.path(), {{iteration(0, 10, 100), iteration(1000, 30, 100), iteration(2000, 20, 400)},
                               {iteration(0, 50, 200), iteration(1000, 50, 50), iteration(2000, 50, 50)}});
  const Measurement measured = measure(Trace(folder.path()));
  CHECK(measured.iterations == 3);
  CHECK(measured.phases_s[0][0] == Approx(20e-9));   // the median of 10, 30, 20
  CHECK(measured.phases_s[0][1] == Approx(100e-9));  // the median of 100, 100, 400
  CHECK(measured.phases_s[1][0] == Approx(50e-9));
  CHECK(measured.phases_s[1][1] == Approx(50e-9));  // the median of 200, 50, 50
  // Slowest: rank 1's 50 + 200, rank 0's 30 + 100, rank 0's 20 + 400.
  CHECK(measured.iteration_s == Approx((50 + 200) * 1e-9));
  CHECK(measured.iteration_low_s == Approx((0.8 * 130 + 0.2 * 250) * 1e-9));
  CHECK(measured.iteration_high_s == Approx((0.2 * 250 + 0.8 * 420) * 1e-9));
}

TEST_CASE("quantile: the median of an even number is the mean of the two in the middle") {
  CHECK(quantile({4., 1., 3., 2.}, 0.5) == (2. + 3.) / 2);
  CHECK(quantile({3., 1., 2.}, 0.5) == 2.);
  CHECK(quantile({7.}, 0.9) == 7.);
  CHECK(quantile({3., 1., 2.}, 0) == 1.);
  CHECK(quantile({3., 1., 2.}, 1) == 3.);
}

}  // namespace
}  // namespace finegrain
