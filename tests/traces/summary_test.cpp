// SPDX-License-Identifier: MIT
#include "traces/summary.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/traces/recording.hpp"
#include "traces/call_recorder.hpp"

namespace finegrain {
namespace {

using namespace test;

TEST_CASE("a program's compute is without its ranks' waits for a core, which are a region of their own") {
  const TraceFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    CallRecorder recorder(folder.path(), rank);
    CallSignature signature;
    signature.begin(recorder.define_function("MPI_Barrier"));
    signature.collective({});
    recorder.call(signature, 0, 1'000);
    // 3 us of work and 5 us without a core; then 1 us of work.
    recorder.waited_for_core(5'000);
    recorder.call(signature, 9'000, 10'000);
    recorder.call(signature, 11'000, 12'000);
    REQUIRE(recorder.finish());
  }
  Manifest manifest = manifest_of(2, 3);
  manifest.run.problem = {"program", {{"command", "./made_up"}}};
  write_manifest(folder.path(), manifest);
  const TraceSummary summary = summarize(Trace(folder.path()));
  REQUIRE(summary.regions.size() == 3);
  CHECK(summary.regions[0].name == regions::compute);
  CHECK(summary.regions[0].mean_s * 3 == Approx(3e-6 + 1e-6));
  CHECK(summary.regions[0].longest_s == Approx(3e-6));
  CHECK(summary.regions[1].name.text() == "waiting for a core");
  CHECK(summary.regions[1].mean_s * 3 == Approx(5e-6));
  CHECK(summary.regions[2].name.text() == "MPI_Barrier");
  CHECK(summary.regions[2].messages == 0);
}

}  // namespace
}  // namespace finegrain
