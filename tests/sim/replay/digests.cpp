// SPDX-License-Identifier: MIT
// The digits of results are the same in every build: optimized, debug, with sanitizers.
#include <fmt/format.h>
#include <xxhash.h>
#include <catch2/catch.hpp>

#include <iterator>
#include <string>

#include "../schedule/patterns.hpp"
#include "sim/model/predict.hpp"
#include "sim/replay/replay.hpp"
#include "sim/schedule/policies.hpp"
#include "small_platform.hpp"

using namespace finegrain;

namespace {

constexpr int rows = 4000;
constexpr int r_nz = 8;
const char* const fat_tree =
    "<cluster id='c' prefix='node-' suffix='' radical='0-15' speed='1Gf' bw='1GBps' lat='1us' "
    "sharing_policy='SPLITDUPLEX' topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,1'/>";

Run spmv_run(Policy policy, Transfer transfer, Completion completion) {
  Run run;
  run.problem = SpmvProblem{"", "", rows, r_nz, 50};
  run.policy = policy;
  run.transfer = transfer;
  run.completion = completion;
  run.ranks = 64;
  run.ranks_per_node = 4;
  run.iterations = 20;
  return run;
}

/// Of all digits of what was simulated and computed.
std::string digest(const ReplayResult& simulated, const Prediction& closed_form) {
  std::string text = fmt::format("{:a}", closed_form.total_s);
  for (const RankReplay& rank : simulated.ranks) {
    fmt::format_to(std::back_inserter(text), " {:a}", rank.finish_s);
    for (const double phase_s : rank.phases_s)
      fmt::format_to(std::back_inserter(text), " {:a}", phase_s);
  }
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::string digest_of(const Run& run) {
  SmallPlatform platform(fat_tree);
  platform.costs().message_overhead_s = 1e-6;
  platform.costs().local_latency_s = 3e-7;
  platform.costs().tau_s = 4e-6;
  platform.costs().remote_bandwidth_bytes_per_s = 1e9;
  if (std::holds_alternative<HeatProblem>(run.problem)) {
    return digest(replay(heat_schedule(run), *platform),
                  predict_heat(run, platform.costs(), ClosedForm::as_published));
  }
  const test::Pattern pattern = test::banded_pattern(rows, r_nz, 900, 7);
  const auto counts = count_accesses(pattern.view(), layout_of(run));
  return digest(replay(spmv_schedule(pattern.view(), run), *platform),
                predict(run, counts, platform.costs(), ClosedForm::as_published));
}

}  // namespace

TEST_CASE("digests: simulated and computed times of SpMV have the same digits in every build") {
  CHECK(digest_of(spmv_run(Policy::individual, Transfer::get, Completion::each)) == "14e187f676fe5779");
  CHECK(digest_of(spmv_run(Policy::block, Transfer::get, Completion::each)) == "ba763351324ab84d");
  CHECK(digest_of(spmv_run(Policy::block, Transfer::put, Completion::together)) == "b4a7305efb88e96e");
  CHECK(digest_of(spmv_run(Policy::condensed, Transfer::put, Completion::each)) == "58f91850491db0bb");
  CHECK(digest_of(spmv_run(Policy::condensed, Transfer::two_sided, Completion::together)) ==
        "dffa6c775980b8f7");
  CHECK(digest_of(spmv_run(Policy::condensed, Transfer::two_sided, Completion::overlapped)) ==
        "3d1deda355db18f7");
}

TEST_CASE("digests: simulated and computed times of heat have the same digits in every build") {
  Run run;
  run.problem = HeatProblem{1003, 2001, 8, 8};
  run.ranks = 64;
  run.ranks_per_node = 4;
  run.iterations = 20;
  CHECK(digest_of(run) == "cab03a6962c65d97");
}
