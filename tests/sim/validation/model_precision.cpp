// SPDX-License-Identifier: MIT
// Tables 2 to 4 of Zhang & Seidel 2006: eq. (1) against programs.
#include "sim/validation/model_precision.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "../replay/small_platform.hpp"

using namespace finegrain;
using namespace finegrain::validation;

namespace {

/// Two nodes. Word by word, another's is 2 x 10 us and 8 B at 1 MB/s away, and an own one 8 B at 12 GB/s.
constexpr double remote_s = 2 * 10e-6 + 8 / 1e6;
constexpr double local_s = 8 / 12e9;
std::string two_nodes() {
  return switched(2, "5us");
}

}  // namespace

TEST_CASE("Tables 2 to 4 of Zhang & Seidel have 99 cells, of which 90 are within 15 %") {
  const std::vector<ModelPrecision> cells = published_precisions();
  CHECK(cells.size() == 27 + 48 + 24);
  CHECK(std::ranges::count_if(
            cells, [](const ModelPrecision& cell) { return std::abs(cell.printed_percent) <= 15; }) == 90);
}

TEST_CASE("rates of simulated microbenchmarks do not depend on how many accesses share a barrier") {
  SmallPlatform platform(two_nodes());
  using enum model::ReferencePattern;
  for (const std::int64_t accesses : {4, 4096}) {
    CAPTURE(accesses);
    const model::ReferenceRates rates = simulated_rates(*platform, "individual", 2, accesses, 1);
    CHECK(rates.rate(local, false) == Approx(1 / local_s).epsilon(1e-6));
    for (const model::ReferencePattern pattern : {baseline, vector, coalesce})
      CHECK(rates.rate(pattern, false) == Approx(1 / remote_s).epsilon(1e-6));
  }
}

TEST_CASE("eq. (1) is what a matrix product of single elements takes, where no access disturbs another") {
  SmallPlatform platform(two_nodes());
  std::vector<ModelPrecision> cells = published_precisions();
  std::erase_if(cells, [](const ModelPrecision& cell) {
    return cell.application != "matmul" || cell.threads != 2 || cell.layout != "block striped" ||
           cell.column->column != "gcc_upc";
  });
  REQUIRE(cells.size() == 1);
  simulate(
      cells,
      [&](std::string_view file) {
        CHECK(file == "t3e.xml");
        return *platform;
      },
      1);
  // A thread's half of the products: A once, C twice, B once, of which half is the other's.
  const double products = 240. * 240 * 240 / 2;
  const double by_hand = products * (3 * local_s + 0.5 * local_s + 0.5 * remote_s);
  CHECK(cells[0].predicted_s == Approx(by_hand).epsilon(1e-6));
  CHECK(cells[0].simulated_s == Approx(by_hand).epsilon(1e-6));
  CHECK(cells[0].printed_rates_s.value() ==
        Approx(6'912'000 * (0.5 / 0.5e6 + 0.5 / 1.2e6 + 2 / 1.2e6 + 1 / 0.7e6)));
}

TEST_CASE("the score of a column counts signs and differences in percent points") {
  const PrecisionColumn& column = precision_columns().front();
  std::vector<ModelPrecision> cells(2);
  for (ModelPrecision& cell : cells)
    cell.column = &column;
  cells[0].printed_percent = 4;
  cells[0].predicted_s = 1.1;
  cells[0].simulated_s = 1;
  cells[1].printed_percent = 2;
  cells[1].predicted_s = 0.8;
  cells[1].simulated_s = 1;
  const PrecisionScore score = score_of(cells, column);
  CHECK(score.cells == 2);
  CHECK(score.same_sign == 1);
  CHECK(score.mean_difference == Approx(((10 - 4) + (20 + 2)) / 2.));
  CHECK(score.mean_printed == Approx((4 + 2) / 2.));
  CHECK(score.mean_simulated == Approx((10 + 20) / 2.));
  CHECK(score.printed_within_15 == 2);
  CHECK(score.simulated_within_15 == 1);
}
