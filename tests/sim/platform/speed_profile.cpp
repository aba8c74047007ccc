// SPDX-License-Identifier: MIT
// When work ends on a host whose speed changes: each expected value is a sum of stretches.
#include "sim/platform/speed_profile.hpp"

#include <catch2/catch.hpp>

#include "platform_text.hpp"
#include "sim/platform/platform_document.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::test;
using Catch::Matchers::Contains;

namespace {

std::vector<SpeedProfile> profiles_of(const std::string& points, const std::string& more = "") {
  const TextFile file(zone("<host id='a' speed='1Gf'/>\n<trace id='t' periodicity='0'>" + points +
                           "</trace>\n<trace_connect trace='t' kind='SPEED' element='a'/>\n" + more));
  return speed_profiles(PlatformDocument(file.path()));
}

SpeedProfile profile(const std::string& points) {
  return profiles_of(points).front();
}

}  // namespace

TEST_CASE("a changing speed: work takes its time at full speed, and more where the host is slower") {
  const SpeedProfile slower = profile("2 0.5\n6 0.25\n8 2");
  CHECK(slower.end_s(0, 2) == 2.);
  CHECK(slower.end_s(0, 3) == Approx(2 + 1 / 0.5));
  // 1 s at full speed, 4 s at 0.5 and 2 s at 0.25 do 3.5 s of work. The rest goes at twice the speed.
  CHECK(slower.end_s(1, 4.5) == Approx(8 + 1 / 2.));
  CHECK(slower.end_s(100, 4) == Approx(100 + 4 / 2.));
  CHECK(slower.end_s(7, 0) == 7.);
}

TEST_CASE("a changing speed: at a factor of 0, the host stands still") {
  const SpeedProfile pause = profile("1 0\n4 1");
  CHECK(pause.end_s(0, 1) == 1.);
  CHECK(pause.end_s(0, 1.5) == Approx(4 + 0.5));
  CHECK(pause.end_s(2, 1) == Approx(4 + 1.));
}

TEST_CASE("a changing speed: a period comes again and again, in a short work as in a long one") {
  // 1 s at full speed and 3 s at 0.5 do 2.5 s of work in each 4 s.
  const SpeedProfile again = profile("PERIODICITY 4\n0 1\n1 0.5");
  CHECK(again.end_s(0, 2) == Approx(1 + 1 / 0.5));
  CHECK(again.end_s(3, 2) == Approx(4 + 1 + 0.5 / 0.5));
  CHECK(again.end_s(0, 2.5e9 + 0.25) == Approx(4e9 + 0.25));
  // Before the first point of the first period, the speed is full; later, it is what the last point says.
  const SpeedProfile late = profile("PERIODICITY 10\n2 0.5\n4 0.25");
  CHECK(late.end_s(0, 2 + 2 * 0.5 + 8 * 0.25 + 2 * 0.5) == Approx(14.));
  CHECK(late.end_s(10, 1) == Approx(12 + 0.5 / 0.5));
}

TEST_CASE("a changing speed: work that ends where the host comes to a stand ends then, in each period") {
  const SpeedProfile half = profile("PERIODICITY 0.2\n0 1\n0.1 0");
  for (int periods = 1; periods <= 1000; ++periods)
    CHECK(half.end_s(0, 0.1 * periods) == Approx(0.2 * periods - 0.1));
  double now_s = 0;
  for (int piece = 0; piece < 1000; ++piece)
    now_s = half.end_s(now_s, 0.05);
  CHECK(now_s == Approx(0.2 * 500 - 0.1));
}

TEST_CASE("a changing speed: pieces of work end when SimGrid's model of CPUs that stand still has them end") {
  // SimGrid 3.32 with cpu/optim:TI, seven times 0.7 s. Its other models of CPUs end at a factor of 0.
  const auto check_ends = [](const std::string& points, const std::vector<double>& ends_s) {
    double now_s = 0;
    for (const double end_s : ends_s) {
      now_s = profile(points).end_s(now_s, 0.7);
      CHECK(now_s == Approx(end_s));
    }
  };
  check_ends("PERIODICITY 3\n0 1\n1 0.5\n2 0", {0.7, 1.8, 3.6, 4.6, 6.5, 7.4, 9.4});
  check_ends("PERIODICITY 3\n0 0\n1 0.5\n2 0.25", {2.8, 5.6, 8.4, 11.2, 14, 16.9, 19.8});
}

TEST_CASE("a changing speed: what cannot be followed is refused with its line") {
  CHECK_THROWS_WITH(profile("0 1\n5 0"),
                    Contains(":5: <trace id=\"t\"> gives host a the factor 0 from 5 s on"));
  CHECK_THROWS_WITH(profile("PERIODICITY 5\n0 0\n5 0"), Contains("the factor 0 in all of its period"));
  CHECK_THROWS_WITH(profile("PERIODICITY 5\n0 1\n0 0"), Contains("the factor 0 in all of its period"));
  CHECK_THROWS_WITH(profile("3 -1\n5 1"), Contains("the factor -1 at 3 s"));
  CHECK_THROWS_WITH(profiles_of("0 1", "<trace_connect trace='t' element='a'/>"),
                    Contains("host a has two profiles of its speed"));
}
