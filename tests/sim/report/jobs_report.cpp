// SPDX-License-Identifier: MIT
#include "sim/report/jobs_report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "../replay/shared_link.hpp"

using namespace finegrain;
using namespace finegrain::report;

namespace {

/// Both cross one link of 1 MB/s; the second begins later.
class TwoJobs {
 public:
  nlohmann::json data(double second_start_s, const TimelineLimits& limits = {}) {
    const replay::ReplayJob job{.schedule = &schedule_, .platform = &*platform_};
    const std::vector<replay::SharedJob> jobs{{job, {0, 2}}, {job, {1, 3}, second_start_s}};
    const replay::ReplayOptions options{.share_tolerance = 0};
    return jobs_report_data({.jobs = jobs,
                             .answers = answer::evaluate_side_by_side(jobs, 1, options),
                             .nodes = {"0+2", "1+3"},
                             .replay = options,
                             .notes = {"a remark"}},
                            limits);
  }

 private:
  SmallPlatform platform_{two_switches};
  Schedule schedule_ = puts(megabyte, 4);
};

}  // namespace

TEST_CASE("a report of jobs: times alone and together, and of a link the share of each job") {
  const nlohmann::json data = TwoJobs().data(0);
  REQUIRE(data["jobs"].size() == 2);
  for (const nlohmann::json& job : data["jobs"]) {
    CHECK(job["ranks"] == 2);
    CHECK(job["alone_s"].get<double>() == Approx(4 * 1.));
    CHECK(job["together_s"].get<double>() == Approx(4 * 2.));
  }
  CHECK(data["jobs"][1]["nodes"] == "1+3");
  CHECK(data["notes"] == nlohmann::json{"a remark"});
  const nlohmann::json& trunk = data["links"]["links"][0];
  CHECK(trunk["name"] == "trunk");
  CHECK(trunk["used"].get<double>() == Approx(1));
  CHECK(trunk["used_by_jobs"][0].get<double>() == Approx(0.5));
  CHECK(trunk["used_by_jobs"][1].get<double>() == Approx(0.5));
}

TEST_CASE("a report of jobs: the timeline has the ranks of every job, and nothing before a job begins") {
  const nlohmann::json timeline = TwoJobs().data(3)["timeline"];
  CHECK(timeline["rows"] == nlohmann::json::parse("[[0, 0], [0, 1], [1, 0], [1, 1]]"));
  CHECK(timeline["from_s"] == 0);
  CHECK(timeline["until_s"].get<double>() == Approx(3 + 1 / 0.5 + 3));
  for (const nlohmann::json& span : timeline["spans"])
    CHECK((span[0] < 2 || span[2].get<double>() >= 3));
  // Each of the four puts, and the wait for it at the barrier.
  CHECK(timeline["spans"].size() == 2 * 2 * 4);
}

TEST_CASE("a report of jobs: of a long run, the time around the last begin is drawn") {
  // A put and a barrier of one rank, a barrier of the other, in 4 iterations of 2 jobs: half of 24 are drawn.
  const nlohmann::json timeline = TwoJobs().data(3, {.spans = 12})["timeline"];
  CHECK(timeline["from_s"].get<double>() == Approx(3 - 8 / 4.));
  CHECK(timeline["until_s"].get<double>() == Approx(3 + 8 / 4.));
}

TEST_CASE("a report of jobs: each job has as many rows as another, or all its ranks") {
  const nlohmann::json timeline = TwoJobs().data(0, {.ranks = 2})["timeline"];
  CHECK(timeline["rows"] == nlohmann::json::parse("[[0, 0], [1, 0]]"));
  for (const nlohmann::json& span : timeline["spans"])
    CHECK(span[0] < 2);
}
