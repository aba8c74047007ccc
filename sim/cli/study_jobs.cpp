// SPDX-License-Identifier: MIT
#include "sim/cli/study_jobs.hpp"

#include <fmt/format.h>

#include <iterator>
#include <sstream>

#include "sim/cli/jobs_on_nodes.hpp"
#include "sim/study/program_points.hpp"
#include "sim/study/study_row.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::cli {
namespace {

study::StudyJobs opened(const study::JobsValue& value, const JobPlace& place) {
  study::StudyJobs jobs{.value = value, .digest = {}};
  std::vector<output::Cell> digests;
  for (const std::string& text : value.texts) {
    const JobText job = parse_job(text, place);
    if (!job.hostfile.empty())
      throw InputError(
          place.where,
          fmt::format("'{}': a study's jobs run on several platforms, whose hosts have other names", text),
          "Name its nodes by their numbers: nodes=0-3");
    Run run;
    if (job.is_trace()) {
      const Trace trace(job.what);
      run = trace.manifest().run;
      jobs.has_programs = jobs.has_programs || !has_pattern(run);
      digests.emplace_back(study::digest_of(trace));
    } else {
      const Workload workload = workload_of(job, place);
      run = workload.runs().front();
      digests.emplace_back(workload.pattern()->digest());
      for (const std::string& note : workload.notes())
        jobs.notes.push_back(fmt::format("{}: {}", job.what, note));
    }
    check_fills_nodes(job, run.ranks, place);
    if (jobs.ranks > 0 && run.threads_per_rank != jobs.threads_per_rank)
      throw InputError(place.where, "the jobs have different numbers of threads per rank",
                       "Give all of them the same");
    jobs.threads_per_rank = run.threads_per_rank;
    jobs.ranks += run.ranks;
    const Schedule alone{run, {}};
    for (const int node :
         replay::hosts_of_ranks({.job = {.schedule = &alone, .platform = nullptr}, .nodes = job.nodes}))
      ++jobs.on_nodes[node];
  }
  jobs.digest = study::digest_of(std::vector<std::vector<output::Cell>>{digests});
  return jobs;
}

ProgramOptions program_options(const study::StudyJobs& jobs, const std::string& collective,
                               double compute_scale) {
  ProgramOptions program;
  if (!jobs.has_programs) return program;
  program.compute_scale = fmt::format("{}", compute_scale);
  std::istringstream words(collective);
  program.collectives = {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
  return program;
}

}  // namespace

study::JobsReader jobs_reader(const std::filesystem::path& folder) {
  study::JobsReader reader;
  reader.open = [folder](const study::JobsValue& value) { return opened(value, {value.place, folder}); };
  reader.prepare = [folder](const study::StudyJobs& jobs, const platform::Platform& platform,
                            const std::string& collective, double compute_scale,
                            const std::function<void(std::span<const replay::SharedJob>)>& use) {
    // Cores were counted where the study's points were made.
    const PlatformOptions any_number_of_ranks{.files = {}, .overrides = {}, .oversubscribe = true};
    with_jobs_on_nodes(jobs.value.texts, {jobs.value.place, folder},
                       program_options(jobs, collective, compute_scale), platform, any_number_of_ranks,
                       [&](const JobsOnNodes& ready) { use(ready.jobs); });
  };
  return reader;
}

}  // namespace finegrain::cli
