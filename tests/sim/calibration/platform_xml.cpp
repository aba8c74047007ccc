// SPDX-License-Identifier: MIT
#include "sim/calibration/platform_xml.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "known_machine.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/platform_summary.hpp"

using namespace finegrain;
using namespace finegrain::calibration;
using namespace finegrain::platform;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

/// What was calibrated, as a file.
class CalibratedFile {
 public:
  explicit CalibratedFile(const Calibration& found)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("finegrain-calibrated-{}.xml", ::getpid())) {
    std::ofstream(path_) << platform_xml(found);
  }
  ~CalibratedFile() { std::filesystem::remove(path_); }
  CalibratedFile(const CalibratedFile&) = delete;
  CalibratedFile& operator=(const CalibratedFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("one node: SimGrid sees a host of as many cores, finegrain the bandwidths and the fit's latency") {
  const CalibratedFile file(known_node());
  const PlatformCosts costs = read_platform(file.path()).costs;
  CHECK(costs.memory_bandwidth_bytes_per_s == Approx(24e9));
  CHECK(costs.memory_bandwidth_per_core_bytes_per_s == Approx(10e9));
  CHECK(costs.local_latency_s == Approx(1e-6));
  CHECK(!costs.tau_s);
  CHECK(!costs.eager_limit_bytes);
  const PlatformSummary view = summarize_platform(file.path());
  CHECK(view.hosts == 1);
  CHECK(view.cores_per_host == 4);
}

TEST_CASE("several nodes: overhead and route together cost what the ping-pong took") {
  const CalibratedFile file(known_cluster());
  const PlatformCosts costs = read_platform(file.path()).costs;
  CHECK(costs.message_overhead_s == Approx(0.5e-6));
  CHECK(costs.tau() == Approx(6e-6));
  CHECK(costs.remote_bandwidth() == Approx(5e9));
  CHECK(costs.eager_limit_bytes == 65'483.0);
  CHECK(costs.replies_wait);
  CHECK(costs.request_bytes == 262'144.0 / 4);
  const PlatformSummary view = summarize_platform(file.path());
  CHECK(view.hosts == 3);
  REQUIRE(!view.routes.empty());
  // 2.5 us of half a round trip, of which the sender's CPU has 0.5 us.
  CHECK(view.routes.front().there->latency_s == Approx(2.5e-6 - 0.5e-6));
  CHECK(view.routes.front().there->bandwidth_bytes_per_s == Approx(5e9));
}

TEST_CASE("each value has its origin, spread, samples and the date in a comment") {
  const std::string xml = platform_xml(known_cluster());
  CHECK_THAT(xml, Contains("Measured on 2024-01-31T12:00:00Z"));
  CHECK_THAT(xml, Contains("CPUs of the ranks: 0: 0; 1: 1; 2: 2; 3: 3"));
  CHECK_THAT(xml, Contains("<!-- STREAM triad, 4 ranks, median; 5 samples, 23 to 25 GBps -->"));
  CHECK_THAT(xml, Contains("o_s of LogGP, median; 200 samples, 0.4 to 0.6 us"));
  CHECK_THAT(xml, Contains("relative least squares fit"));
  CHECK_THAT(
      xml, Contains("<prop id=\"measured\" value=\"memory_bandwidth memory_bandwidth_per_core local_latency "
                    "eager_limit message_overhead tau remote_bandwidth request_bytes cache_line\" />"));
}

TEST_CASE("eager sends are buffered if they return long before the receiver's answer is back") {
  calibration::Calibration found = known_cluster();
  CHECK_THAT(platform_xml(found), !Contains("buffered_limit"));
  for (const auto& [returned_s, is_buffered] : {std::pair{2e-6, true}, {12e-6, false}}) {
    found.between_nodes->eager_send = {{returned_s, returned_s, returned_s, 20}, {18e-6, 18e-6, 18e-6, 20}};
    const PlatformCosts costs = read_platform(CalibratedFile(found).path()).costs;
    CHECK(costs.buffered_limit_bytes == (is_buffered ? std::optional(65'483.0) : std::nullopt));
  }
}

TEST_CASE("longer sends are buffered if they return long before the answer, up to the first that does not") {
  calibration::Calibration found = known_cluster();
  const auto send = [](double returned_s, double answered_s) {
    return calibration::Messages::EagerSend{{returned_s, returned_s, returned_s, 20},
                                            {answered_s, answered_s, answered_s, 20}};
  };
  const auto limit = [&] { return read_platform(CalibratedFile(found).path()).costs.buffered_limit_bytes; };
  found.between_nodes->longer_sends = {{131'072, send(7e-6, 18e-6)}, {524'288, send(12e-6, 60e-6)}};
  CHECK(!limit());  // eager ones are not
  found.between_nodes->eager_send = send(2e-6, 18e-6);
  CHECK(limit() == 524'288.);
  found.between_nodes->longer_sends[262'144] = send(29e-6, 30e-6);
  CHECK(limit() == 131'072.);
}

TEST_CASE("links serve in order what comes first if an answer waits for what two others sent before") {
  calibration::Calibration found = known_cluster();
  CHECK_THAT(platform_xml(found), !Contains("link_queues"));
  const double data_s = 52.4e-3;
  for (const auto& [answer_s, in_order] :
       {std::pair{5e-6 + 0.7 * data_s, true}, {5e-6 + 0.02 * data_s, false}}) {
    found.replies->answer_beside_others_s = {answer_s, answer_s, answer_s, 9};
    CHECK(read_platform(CalibratedFile(found).path()).costs.links_in_order == in_order);
  }
}

TEST_CASE("a connection's lead are the bytes that are left of one message when another has passed") {
  calibration::Calibration found = known_cluster();
  CHECK_THAT(platform_xml(found), !Contains("connection_lead"));
  const double data_s = 52.4e-3;
  for (const auto& [apart_s, lead_bytes] :
       {std::pair{data_s / 32, 262'144. / 32}, {2e-6, 0.}, {1.1 * data_s, 262'144.}}) {
    found.replies->answers_apart_s = {apart_s, apart_s, apart_s, 9};
    CHECK(read_platform(CalibratedFile(found).path()).costs.connection_lead_bytes == Approx(lead_bytes));
  }
}

TEST_CASE(
    "an answer that comes while data are on their way does not wait, and an eighth of a message may be "
    "noise") {
  calibration::Calibration found = known_cluster();
  found.replies->answer_beside_data_s.median = 0.4 * 39.3e-3;
  found.replies->late_s.median = 0.9 * 52.4e-3;
  const CalibratedFile file(found);
  const PlatformCosts costs = read_platform(file.path()).costs;
  CHECK(!costs.replies_wait);
  CHECK(costs.request_bytes == 0);
}
