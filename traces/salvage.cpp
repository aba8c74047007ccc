// SPDX-License-Identifier: MIT
#include "traces/salvage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "traces/file_slice.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/units.hpp"
#include "traces/packed_trace.hpp"
#include "traces/rank_file.hpp"
#include "traces/rank_file_reader.hpp"
#include "traces/recorder.hpp"

namespace finegrain {
namespace {

FileSlice rank_file(const std::filesystem::path& trace, int rank) {
  const std::string name = rank_file_name(rank);
  return std::filesystem::is_regular_file(trace) ? packed_entries(trace).at(name) : FileSlice(trace / name);
}

/// The recorder's clock, which shows the recorded times again.
std::int64_t shown_ns = 0;

void record_again(const Decoded& decoded, Recorder& recorder) {
  const Body& body = decoded.shape->body;
  const IterationTimes& times = decoded.times;
  const auto at = [&](std::int64_t time_ns) -> Recorder& {
    shown_ns = time_ns;
    return recorder;
  };
  at(times.iteration.start_ns).begin_iteration();
  auto start_ns = times.starts_ns.begin();
  for (std::size_t r = 0; r < body.regions.size(); ++r) {
    at(times.regions[r].start_ns).begin_region(body.regions[r].name);
    for (const Operation& operation : body.operations_of(body.regions[r])) {
      if (std::holds_alternative<Post>(operation)) shown_ns = *start_ns++;
      recorder.add(operation);
    }
    at(times.regions[r].end_ns).end_region();
  }
  for (const PostEnd& end : times.ends)
    at(end.at_ns).ended(end.post);
  at(times.iteration.end_ns).end_iteration();
}

/// Records a rank's first iterations again, on the rank's own clock.
void copy(RankFileReader from, const std::filesystem::path& folder, int rank, std::int64_t iterations) {
  std::optional<Recorder> recorder;
  for (std::int64_t i = 0; i < iterations; ++i) {
    const Decoded* decoded = from.next();
    if (decoded == nullptr)
      throw InputError(fmt::format("rank {}", rank), "its file became shorter", "Run it again");
    if (!recorder)
      recorder.emplace(
          folder, rank, [] { return shown_ns; }, std::max<std::int64_t>(from.tick_ns(), 1));
    record_again(*decoded, *recorder);
  }
  if (!recorder->finish()) {
    throw InputError((folder / rank_file_name(rank)).string(), "cannot be written",
                     "Choose a writable place with enough room");
  }
}

void check(const Verification& found, const std::filesystem::path& trace) {
  const bool all_whole =
      std::ranges::all_of(found.ranks, [](const RankCheck& rank) { return rank.state == FileState::whole; });
  if (found.manifest_complete && all_whole) {
    throw InputError(trace.string(), "is whole (nothing of it was lost)", "Use it as it is");
  }
  if (found.iterations_of_all > 0) return;
  const auto rank = std::ranges::find(found.ranks, 0, &RankCheck::iterations) - found.ranks.begin();
  const std::string& problem = found.ranks[static_cast<std::size_t>(rank)].problem;
  throw InputError(
      trace.string(),
      fmt::format("has no iteration of rank {} ({})", rank, problem.empty() ? "it recorded none" : problem),
      "Record it again");
}

}  // namespace

Verification salvage(const std::filesystem::path& trace, const std::filesystem::path& folder,
                     const OnRank& on_rank) {
  check_absent(folder, "a trace is never overwritten");
  const Trace original(trace);
  if (!original.knows_iterations()) {
    throw InputError(trace.string(), "is of an MPI program (salvage is for runs of finegrain's own kernels)",
                     "Use it as it is: trace info, trace show, graph, replay, compare, report and "
                     "sensitivity read it, as far "
                     "as it goes");
  }
  const Verification found = verify(original, on_rank);
  check(found, trace);
  Manifest manifest = original.manifest();
  manifest.environment["salvaged"] =
      fmt::format("{} of {}", found.iterations_of_all, format_count(manifest.run.iterations, "iteration"));
  manifest.run.iterations = found.iterations_of_all;
  manifest.complete = true;
  Temporary salvaged((folder / "").parent_path());  // a slash at its end or not
  salvaged.make_folder();
  for (int rank = 0; rank < manifest.run.ranks; ++rank)
    copy({rank_file(trace, rank), rank, manifest.run.ranks}, salvaged.path(), rank, found.iterations_of_all);
  write_manifest(salvaged.path(), manifest);
  salvaged.put_in_place();
  return found;
}

}  // namespace finegrain
