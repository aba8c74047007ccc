// SPDX-License-Identifier: MIT
#include "sim/calibration/quietness.hpp"

#include <catch2/catch.hpp>

#include "kernels/machine/cpu_time.hpp"
#include "kernels/machine/identity.hpp"
#include "kernels/machine/proc_file.hpp"
#include "known_machine.hpp"
#include "sim/calibration/platform_xml.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::calibration;
using namespace finegrain::machine;
using Catch::Matchers::Contains;

TEST_CASE("CPU time: busy are user, nice and system, of all CPUs together") {
  // user nice system idle iowait irq softirq steal, in hundredths of a second
  const CpuTime time =
      parse_cpu_time("cpu  100 20 30 400 50 6 7 80 0 0\ncpu0 100 20 30 400 50 6 7 80 0 0\n", 100);
  CHECK(time.busy_s == Approx(1.00 + 0.20 + 0.30));
  CHECK(time.stolen_s == Approx(0.80));
  CHECK(time.all_s == Approx(1.00 + 0.20 + 0.30 + 4.00 + 0.50 + 0.06 + 0.07 + 0.80));
  CHECK(parse_cpu_time("", 100).all_s == 0);
  CHECK(parse_cpu_time("cpu 1 2\n", 100).all_s == 0);
}

TEST_CASE("others' share: what is busy without our own, and what is stolen, of all CPUs' time") {
  const CpuTime before{.busy_s = 10, .stolen_s = 1, .all_s = 100, .own_s = 2};
  // 2 CPUs for 5 s: 6 s busy, of which 4 s our own, and 1 s stolen.
  const CpuTime after{.busy_s = 10 + 6, .stolen_s = 1 + 1, .all_s = 100 + 2 * 5, .own_s = 2 + 4};
  CHECK(share_of_others(before, after) == Approx((6. - 4. + 1.) / 10.));
  CHECK(share_of_others(before, before) == 0);
  // The system counts in hundredths of a second, so our own may look like more than all.
  const CpuTime rounded{.busy_s = 10 + 3.99, .stolen_s = 1, .all_s = 100 + 10, .own_s = 2 + 4};
  CHECK(share_of_others(before, rounded) == 0);
}

TEST_CASE("CPU time: it grows with what this process does") {
  const CpuTime before = cpu_time();
  volatile double sum = 0;
  while (cpu_time().own_s < before.own_s + 0.05)
    sum = sum + 1;
  CHECK(cpu_time().all_s > before.all_s);
}

TEST_CASE("machine identity: the same each time, and without a line's end") {
  CHECK(machine_identity() == machine_identity());
  CHECK_THAT(machine_identity(), Contains(" CPUs"));
  CHECK(machine_identity().find('\n') == std::string::npos);
}

TEST_CASE("a quiet machine is calibrated, and the file says how quiet it was, and which machine it is") {
  Calibration found = known_node();
  found.machine = "A CPU, 4 CPUs, id 0123";
  found.others_share = 0.03;
  // 9 to 11 GB/s around 10 GB/s.
  CHECK(spread_of_stream(found) == Approx((11e9 - 9e9) / 10e9));
  CHECK(is_quiet(found));
  CHECK_NOTHROW(refuse_busy(found));
  const std::string xml = platform_xml(found);
  CHECK_THAT(xml, Contains("<prop id=\"measured_on\" value=\"A CPU, 4 CPUs, id 0123\" />"));
  CHECK_THAT(xml, Contains("Quiet: others had 3 % of the CPUs' time, and repeats of STREAM lie 20 % apart."));
  CHECK_THAT(xml, !Contains("disturbed_by"));
}

TEST_CASE("a machine that others use is refused, and the file of who insists says so") {
  Calibration found = known_node();
  found.others_share = 0.37;
  CHECK(!is_quiet(found));
  CHECK_THROWS_AS(refuse_busy(found), InputError);
  CHECK_THROWS_WITH(refuse_busy(found), Contains("37 %") && Contains("say that it may be busy"));
  CHECK_THAT(platform_xml(found), Contains("<prop id=\"disturbed_by\" value=\"others had 37 % of the CPUs'"));
}

TEST_CASE("a machine whose STREAM repeats lie far apart is refused") {
  Calibration found = known_node();
  found.triad_bytes_per_s.back().value = {24e9, 10e9, 25e9, 5};
  CHECK(spread_of_stream(found) == Approx((25e9 - 10e9) / 24e9));
  CHECK_THROWS_WITH(refuse_busy(found), Contains("62 % apart"));
}

TEST_CASE("files of /proc: those that cannot be read, as of a process that ends, are empty") {
  CHECK(machine::content_of_proc_file("/proc/self/stat").find('(') != std::string::npos);
  CHECK(machine::content_of_proc_file("/proc/self/mem").empty());  // opens, and fails when read
  CHECK(machine::content_of_proc_file("/proc/0/stat").empty());
}
