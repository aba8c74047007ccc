// SPDX-License-Identifier: MIT
//
// Equations (1) to (3) of Zhang & Seidel 2006, on numbers that a person can check.
#include <catch2/catch.hpp>

#include "sim/model/partitions.hpp"
#include "sim/pattern/pattern.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::model;

namespace {

double published_s(const std::string& name, const std::string& size, const Settings& settings,
                   std::string_view platform, int threads) {
  const pattern::PatternKind& kind = pattern::pattern_kind(name);
  const Run run{
      .problem = kind.open(size, "--" + name)->problem(threads, settings), .policy = "", .ranks = threads};
  return communication_s(kind.partitions(run, unit_stride_pattern(platform)),
                         published_rates(platform, threads).value());
}

}  // namespace

TEST_CASE("partitions: histogram of 2^20, 50 %, 12 threads, Berkeley UPC takes 42.94 s") {
  const double by_hand = 524288 * (11. / 12 * (1 / 15.1e3 + 1 / 43.3e3) + 1. / 12 * (1 / 6.7e6 + 1 / 5.0e6));
  CHECK(by_hand == Approx(42.94).margin(0.005));
  // The local share of 524,288 is 43,690.67, and accesses are whole.
  CHECK(published_s("histogram", "1048576", {{"percent", std::int64_t{50}}}, "bupc", 12) ==
        Approx(by_hand).epsilon(1e-5));
}

TEST_CASE("partitions: a matrix product on 2 threads, GCC UPC, takes 31.19 s, however it is striped") {
  const double by_hand = 6'912'000 * (0.5 / 0.5e6 + 0.5 / 1.2e6 + 2 / 1.2e6 + 1 / 0.7e6);
  CHECK(by_hand == Approx(31.19).margin(0.005));
  CHECK(published_s("matmul", "240", {{"striping", "cyclic"}}, "gccupc", 2) == Approx(by_hand));
  CHECK(published_s("matmul", "240", {{"striping", "block"}}, "gccupc", 2) == Approx(by_hand));
}

TEST_CASE(
    "partitions: Sobel on 2 threads reads 5,994 pixels of the other, at the rate of the platform's pattern") {
  // 999 rows of 1998 pixels: 8 reads each, of which 5,994 remote, and 1 write.
  const double local_reads = 999. * 1998 * 8 - 5994;
  const double writes = 999. * 1998;
  CHECK(published_s("sobel", "2000", {}, "mupc_nocache", 2) ==
        Approx(5994 / 14.0e3 + (local_reads + writes) / 8.3e6));
  CHECK(published_s("sobel", "2000", {}, "mupc_cache", 2) ==
        Approx(5994 / 1.0e6 + (local_reads + writes) / 8.3e6));
  CHECK(published_s("sobel", "2000", {}, "bupc", 2) ==
        Approx(5994 / 172e3 + local_reads / 8.3e6 + writes / 6.7e6));
  CHECK(published_s("sobel", "2000", {}, "gccupc", 2) ==
        Approx(5994 / 0.45e6 + local_reads / 1.2e6 + writes / 0.7e6));
}

TEST_CASE("partitions: rates are printed for 2 and 12 threads, of four platforms") {
  for (const std::string_view platform : published_rate_platforms) {
    CHECK(published_rates(platform, 2).has_value());
    CHECK(published_rates(platform, 12).has_value());
    CHECK_FALSE(published_rates(platform, 4).has_value());
  }
  CHECK_THROWS_AS(published_rates("hp", 2), InputError);
}

TEST_CASE("partitions: gaps and speedup, as printed and as meant") {
  // A private access takes 1 s, a local one 2 s, a remote one 10 s.
  ReferenceRates rates;
  rates[ReferencePattern::local] = {0.5, 0.5};
  rates[ReferencePattern::baseline] = {0.1, 0.1};
  CHECK(gap(0.1, 1, ClosedForm::as_published) == Approx(10));
  CHECK(gap(0.1, 1, ClosedForm::as_printed) == Approx(0.1));
  const std::vector<Partition> partitions{{.references = "a[i]", .local = 3, .remote = 4}};
  CHECK(communication_s(partitions, rates) == Approx(3 * 2 + 4 * 10));
  CHECK(speedup(100, 4, partitions, rates, 1, ClosedForm::as_published) ==
        Approx(100. / (4 + 3 * 2 + 4 * 10)));
  CHECK(speedup(100, 4, partitions, rates, 1, ClosedForm::as_printed) ==
        Approx(100. / (4 + 3 * 0.5 + 4 * 0.1)));
}
