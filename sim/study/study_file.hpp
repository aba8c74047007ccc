// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/problem/matrix_source.hpp"
#include "sim/graph/placement_rule.hpp"
#include "sim/platform/compute_scales.hpp"
#include "sim/policy/variant.hpp"
#include "sim/replay/energy.hpp"
#include "sim/study/axis_flags.hpp"

namespace finegrain::study {

/// The axes of a study, outermost first: from one point to the next, the last axis changes first.
enum class Axis : std::uint8_t {
  problem,
  policy,
  ranks_per_node,
  ranks,
  settings,  ///< the pattern's: every combination of its parameters' values
  placement,
  collective,  ///< the axis of recorded programs
  platform,
  set
};
inline constexpr std::size_t axis_count = 9;

/// The most points that a study may have.
inline constexpr std::int64_t most_points = 1'000'000;

/// Changes to a platform's numbers: "memory_bandwidth" -> "100GBps", "x2" or "/10".
struct PlatformChange {
  std::string place;  ///< file:line, for errors
  std::map<std::string, std::string> values;
};

/// Which points are simulated besides having their closed form computed.
struct SimulationChoice {
  enum class Kind : std::uint8_t { none, best, all };
  Kind kind = Kind::none;
  std::int64_t best = 0;      ///< how many points with the least closed form, besides the corners of the grid
  std::vector<Axis> of_each;  ///< `best` of each combination of these axes' values; empty: of all points
};

/// A matrix that a study makes from a mesh, in a file beside the study file.
struct MatrixToMake {
  std::filesystem::path file;
  problem::MatrixSource source;
};

/// A value of the axis jobs: texts of jobs that run at the same time, which the command reads.
struct JobsValue {
  std::string place;               ///< file:line or the flag, for errors
  std::vector<std::string> texts;  ///< one for each job: what runs, on which nodes, and when it begins
};

/// A study file as it is written; nothing that it names has been opened.
struct StudyFile {
  std::filesystem::path file;
  std::string pattern;                ///< the problems' pattern; empty if they are recorded programs or jobs
  std::vector<std::string> problems;  ///< as the pattern's flag takes them; a file is named with the study
                                      ///< file's folder before it
  std::vector<JobsValue> jobs;        ///< one for each problem, if the problems are jobs
  std::vector<MatrixToMake> to_make;  ///< one for each problem, if they are meshes
  std::vector<policy::Variant> variants;
  std::vector<std::optional<int>> ranks_per_node;  ///< without a value: as many as a node has cores for
  bool counts_nodes = false;                       ///< `ranks` are numbers of nodes, all full
  std::vector<std::int64_t> ranks;
  std::vector<Settings> settings;  ///< a parameter that is left out has its default
  std::vector<graph::PlacementRule> placements;
  std::vector<std::string> collectives = {""};  ///< algorithms instead of the MPI library's: "bcast=chain"
  std::vector<std::filesystem::path> platforms;
  std::vector<PlatformChange> changes;
  int threads_per_rank = 1;
  bool oversubscribe = false;  ///< allows more ranks x threads on a node than its cores can run
  std::int64_t iterations = 1000;
  /// Seconds on the platforms for one second of recorded programs' work.
  platform::ComputeScales compute_scale = {};
  std::string compute_scale_place = {};  ///< where the file has it, for errors
  std::vector<std::string>
      compute_scale_from;  ///< instead: for each problem, a recording on the platforms' machine
  replay::EnergyOptions energy;
  SimulationChoice simulate;

  bool is_of_jobs() const { return !jobs.empty(); }
  bool is_of_programs() const { return pattern.empty() && jobs.empty(); }
  /// Number of values on one axis.
  std::size_t size(Axis axis) const;
  /// Number of points: of all combinations of the axes' values.
  std::int64_t points() const;
};

/// Reads a study file (TOML, docs/studies.md).
/// @throws InputError with file and line: malformed TOML, an unknown key, an axis without values, an invalid
/// value, more than most_points
StudyFile read_study_file(const std::filesystem::path& file);
/// Does the same from the text of a file that has not been written.
StudyFile read_study_text(const std::filesystem::path& file, const StudyText& text);

}  // namespace finegrain::study
