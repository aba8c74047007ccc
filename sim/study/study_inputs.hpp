// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/graph/placement_rule.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/platform_facts.hpp"
#include "sim/platform/scaled_links.hpp"
#include "sim/replay/side_by_side.hpp"
#include "sim/study/study_file.hpp"
#include "traces/work_factors.hpp"

namespace finegrain::study {

/// A platform file with one set of changes.
struct ChangedPlatform {
  platform::Platform platform;
  platform::PlatformFacts facts;
  std::string digest;  ///< hexadecimal XXH3-64 of the file
  std::int64_t hosts = 0;
  std::int64_t cores_per_host = 0;        ///< the first host's
  std::vector<std::string> derived = {};  ///< sentences on costs that it lacks (replay::derive_remote_costs)
  std::string changes;  ///< as in the study file, in alphabetical order: "memory_bandwidth=x2 tau=/10"
  platform::LinkFactors links;
  graph::HopsOf hops_of;  ///< hops are counted when they are first asked for
};

/// A recorded program, as a problem of a study.
struct StudyProgram {
  std::filesystem::path path;
  std::string name;
  std::string digest;                           ///< hexadecimal
  Run run;                                      ///< as recorded
  std::optional<WorkFactors> work = {};         ///< from a recording on the platforms' machine
  std::string work_from = {};                   ///< that recording's name and digest
  std::optional<double> work_flops_per_s = {};  ///< ReplayJob::work_flops_per_s
  bool shared_cores = false;                    ///< while it was recorded, so disturbances are left out
};

/// Jobs that run at the same time, as a problem of a study.
struct StudyJobs {
  JobsValue value;
  std::string digest;                   ///< hexadecimal, of the files that the jobs read
  bool has_programs = false;            ///< whether some are recorded programs
  int ranks = 0;                        ///< all jobs' together
  int threads_per_rank = 1;             ///< each job's
  std::map<int, int> on_nodes = {};     ///< how many ranks of all jobs each node has
  std::vector<std::string> notes = {};  ///< what every answer has to say of the jobs
};

/// Functions that the command provides to a study, because only the command can read how a job is written.
struct JobsReader {
  /// Opens the files that a value names. @throws InputError with the value's place if it is not valid
  std::function<StudyJobs(const JobsValue&)> open;
  /// Calls `use` with the jobs of a value, ready to be simulated on a platform.
  /// @param collective  as StudyFile::collectives
  std::function<void(const StudyJobs&, const platform::Platform&, const std::string& collective,
                     double compute_scale,
                     const std::function<void(std::span<const replay::SharedJob>)>& use)>
      prepare;
};

/// The files that a study names, opened. Each problem is opened once.
struct StudyInputs {
  std::vector<std::shared_ptr<const pattern::Pattern>> problems;  ///< empty for programs or jobs
  std::vector<StudyProgram> programs;
  std::vector<StudyJobs> jobs;
  JobsReader jobs_reader;
  std::vector<ChangedPlatform> platforms;  ///< shape [platforms][changes]
};

/// Makes those matrices of meshes that do not exist yet, or are older than their mesh.
/// @param making  called with each file before it is made
/// @returns what the user should know of the meshes
std::vector<std::string> make_matrices(const StudyFile& study,
                                       const std::function<void(const std::filesystem::path&)>& making);

/// The platforms of a study with each of its changes, shape [platforms][changes].
/// @throws InputError as open_inputs() does
std::vector<ChangedPlatform> open_platforms(const StudyFile& study);

/// Sentences about the costs that the closed form derives from the platforms' links; none if every run is on
/// one node.
std::vector<std::string> derived_notes(std::span<const Run> runs, std::span<const ChangedPlatform> platforms);

/// What every answer has to say of the problems, e.g. that most of a matrix is padding. Each once.
std::vector<std::string> notes_of_problems(const StudyInputs& inputs);

/// Opens the files that a study names.
/// @param jobs  only for a study of jobs
/// @throws InputError if a file cannot be used, or a change names something that is no number of a platform
StudyInputs open_inputs(const StudyFile& study, const JobsReader& jobs = {});

}  // namespace finegrain::study
