// SPDX-License-Identifier: MIT
#include "sim/study/program_points.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "sim/collectives/decisions.hpp"
#include "sim/graph/rank_graph.hpp"
#include "sim/study/axis_values.hpp"
#include "traces/io/input_error.hpp"
#include "traces/work_in_flops.hpp"

namespace finegrain::study {

std::string digest_of(const Trace& trace) {
  const Run& run = trace.manifest().run;
  std::string text = fmt::format("{}\n{}\n", describe(run), run.ranks);
  for (int rank = 0; rank < run.ranks; ++rank)
    text += fmt::format("{}\n", trace.file_bytes(rank));
  if (work_flops_per_s(trace.manifest())) text += "work in flops\n";
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

StudyProgram open_program(const std::filesystem::path& path, const std::filesystem::path& work_from) {
  const Trace trace(path);
  if (!trace.names_functions())
    throw InputError(path.string(), "is no recorded program, but a run of finegrain's own kernels",
                     "Name its matrix or grid instead");
  StudyProgram program{path, path.filename().string(), digest_of(trace), trace.manifest().run};
  program.shared_cores = replay::usual_work(trace.manifest()) == replay::WorkTimes::undisturbed;
  program.work_flops_per_s =
      work_flops_per_s(work_from.empty() ? trace.manifest() : Trace(work_from).manifest());
  if (!work_from.empty()) {
    program.work = work_factors(RecordedPrograms(trace), path.string(), work_from);
    program.work_from = fmt::format("{} {}", work_from.filename().string(), digest_of(Trace(work_from)));
  }
  return program;
}

Answer simulate_program(const StudyProgram& program, const StudyPoint& point,
                        const platform::Platform& platform, const graph::HopsOf& hops_of,
                        const replay::ReplayOptions& options) {
  const Trace trace(program.path);
  const RecordedPrograms recorded(trace, KilledRun::ends_early);
  std::optional<RescaledPrograms> elsewhere;
  if (program.work) elsewhere.emplace(recorded, *program.work);
  const Programs& programs = elsewhere ? static_cast<const Programs&>(*elsewhere) : recorded;
  const collectives::Decisions decisions(platform.mpi, parse_collectives(point.collective));
  const problem::Placement placement = placement_of(
      point, [&] { return graph::rank_graph(programs, &decisions); }, hops_of);
  const Schedule run{point.run, {}};
  return simulated_answer(answer::evaluate_here({.job = {.schedule = &run,
                                                         .platform = &platform,
                                                         .placement = &placement,
                                                         .programs = &programs,
                                                         .decisions = &decisions,
                                                         .compute_scale = point.compute_scale,
                                                         .work_flops_per_s = program.work_flops_per_s,
                                                         .work = replay::usual_work(trace.manifest())}},
                                                options));
}

}  // namespace finegrain::study
