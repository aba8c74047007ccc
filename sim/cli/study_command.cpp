// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <utility>

#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/provenance.hpp"
#include "sim/cli/study_jobs.hpp"
#include "sim/cli/study_progress.hpp"
#include "sim/cli/version.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/policy/idle_ranks.hpp"
#include "sim/policy/policy.hpp"
#include "sim/report/page.hpp"
#include "sim/study/axis_flags.hpp"
#include "sim/study/export.hpp"
#include "sim/study/fastest.hpp"
#include "sim/study/merge.hpp"
#include "sim/study/page_data.hpp"
#include "sim/study/run_study.hpp"
#include "sim/study/slurm_script.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/mapped_file.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct RunOptions {
  std::string study;
  study::AxisFlags axes;
  std::string simulate;
  bool oversubscribe = false;
  std::string database;
  std::string shard = "0/1";
  int slurm_shards = 0;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool retry = false;
  bool force = false;
  replay::ReplayOptions replay;
  std::string format = "table";
};

constexpr const char* example_study =  // {0}: policies, {1}: the usual one
    R"(# A study: every value of each axis with every value of the others. docs/studies.md explains every line.
version = 1
iterations = 1000

# Every point has its closed form computed. These are simulated as well: the fastest two of each platform, and the
# corners of the grid. Or "all", or "none".
simulate = "best 2"
best_of_each = ["platform"]

[axes]
matrix = "heart.fgm"                          # or heat = ["20000x20000"]; paths start at this file's folder
policy = ["{0}"]  # or one program of a policy: "{1} put overlapped"
ranks_per_node = 16
nodes = ["powers of two 1..8"]                # or ranks = [16, "64..256 step 64"]
blocksize = ["auto", "powers of two 1024..4096"]  # auto: one block a rank
placement = "block"                           # which node a rank is on; or several of docs/platforms.md
platform = ["platforms/abel.xml", "platforms/ndr_infiniband.xml"]
# As they are, and with twice the memory bandwidth:
set = [{{}}, {{memory_bandwidth = "x2", memory_bandwidth_per_core = "x2"}}]
)";

study::Shard parse_shard(const std::string& text) {
  study::Shard shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, shard.count);
    if (count.ec == std::errc() && count.ptr == end && shard.index >= 0 && shard.index < shard.count)
      return shard;
  }
  throw InputError("--shard", fmt::format("'{}' is no shard", text), "Give index/count, from 0/8 to 7/8");
}

void write_slurm(const RunOptions& options) {
  const std::filesystem::path script = std::filesystem::path(options.study).replace_extension(".sbatch");
  AtomicFile file(script, study::slurm_script_kind(), {{options.study}, options.force});
  file.write(
      study::slurm_script(options.study, std::filesystem::canonical("/proc/self/exe"), options.slurm_shards));
  file.commit();
  std::cout << fmt::format("sbatch {}\n", script.string());
}

std::string text_of(const std::filesystem::path& path) {
  return std::string(MappedFile(path).text());
}

/// The text of a job, with its file named from a folder from which `back` leads to the current one.
std::string job_from(const std::filesystem::path& back, std::string job) {
  if (!job.starts_with("--")) return (back / job).string();
  for (const pattern::PatternKind* kind : pattern::pattern_kinds()) {
    const std::size_t flag = kind->is_file() ? job.find("--" + kind->flag()) : std::string::npos;
    if (flag == std::string::npos) continue;
    const std::size_t file = job.find_first_not_of(" ='\"", flag + 2 + kind->flag().size());
    if (file != std::string::npos && job[file] != '/') job.insert(file, back.string() + '/');
  }
  return job;
}

/// Paths in flags are relative to the current folder, those in a study file to its folder. Changes the former
/// into the latter. @throws InputError if no study file can be written beside the database
void name_from_database(const std::filesystem::path& database, study::AxisFlags& axes) {
  const std::filesystem::path folder = database.parent_path();
  std::error_code error;
  if (folder.empty() || std::filesystem::equivalent(folder, ".", error)) return;
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw InputError(database.string(), fmt::format("cannot be created ({})", std::strerror(errno)),
                     "Give a database in a folder that can be written");
  const std::filesystem::path back = std::filesystem::relative(".", folder);
  for (auto& [name, values] : axes) {
    const pattern::PatternKind* kind = pattern::pattern_of_flag(name);
    const bool has_paths =
        name == "mesh" || name == "trace" || name == "platform" || (kind != nullptr && kind->is_file());
    for (std::string& value : values) {
      if (name == "jobs") value = job_from(back, value);
      if (has_paths) value = (back / value).string();
    }
  }
}

/// The path of the study file that the flags stand for, beside the database. It is written once the study
/// is known to run, so that it can be run again and sharded. @throws InputError if another one is there
std::filesystem::path path_of(const RunOptions& options, const study::StudyText& study) {
  const std::filesystem::path path =
      std::filesystem::path(options.database.empty() ? "study" : options.database).replace_extension(".toml");
  std::error_code ignored;  // a folder that cannot be read is refused when the database is opened
  if (!options.force && std::filesystem::exists(path, ignored) && text_of(path) != study.text) {
    throw InputError(path.string(), "exists, and differs from the flags",
                     "Run it without them, or give another --database, or --force");
  }
  return path;
}

/// Finds finegrain's own platforms by their names, where no file beside the study file has the name.
/// @throws InputError if there is neither
void find_platforms(study::StudyFile& study) {
  const std::filesystem::path folder = study.file.parent_path();
  for (std::filesystem::path& file : study.platforms) {
    std::string name = file.filename();
    if (file != folder / name) continue;
    const std::string problem = platform_by_name(folder)(name);
    if (!problem.empty()) throw InputError(study.file.string(), problem);
    file = folder / name;
  }
}

void write_study(const RunOptions& options, const std::string& text) {
  AtomicFile file(options.study,
                  {"a study file", {".toml"}, [&](std::string_view content) { return content == text; }},
                  {{}, options.force});
  file.write(text);
  file.commit();
  spdlog::info("the flags as a study file: {}", options.study);
}

/// Whether any axis was given as a flag.
bool has_flags(const RunOptions& options) {
  return std::ranges::any_of(options.axes, [](const auto& axis) { return !axis.second.empty(); });
}

/// How many points cannot run, and why the first cannot; empty if all can.
std::string points_left_out(const std::vector<study::StudyPoint>& points) {
  const auto can_run = [](const study::StudyPoint& point) { return point.infeasible.empty(); };
  const auto first = std::ranges::find_if_not(points, can_run);
  if (first == points.end()) return "";
  const auto count = std::ssize(points) - std::ranges::count_if(points, can_run);
  return fmt::format("{} of {} cannot run; the first: {}", count, format_count(points.size(), "point"),
                     first->infeasible);
}

/// Which recordings' disturbances are no part of the answers; empty: those of none.
std::string work_left_out(const std::vector<study::StudyProgram>& programs) {
  std::vector<std::string> names;
  for (const study::StudyProgram& program : programs)
    if (program.shared_cores) names.push_back(program.name);
  if (names.empty()) return "";
  return fmt::format(
      "undisturbed work: ranks shared cores while {} recorded, so what came and went on single ranks is left "
      "out. finegrain compare --trace says how much",
      names.size() == 1 ? names.front() + " was" : fmt::format("{} were", fmt::join(names, ", ")));
}

void run(RunOptions options) {
  if (options.study.empty() == !has_flags(options))
    throw InputError("study run",
                     "needs a study file or axes. Give a study file, or its axes as flags, and not both");
  if (!options.study.empty() && (!options.simulate.empty() || options.oversubscribe))
    throw InputError("study run", "--simulate and --oversubscribe belong to axes that are flags",
                     "Write them into the study file, e.g. simulate = \"all\"");
  if (options.study.empty()) name_from_database(options.database, options.axes);
  const study::StudyText flags = study::study_text(options.axes, options.simulate, options.oversubscribe);
  const bool from_flags = options.study.empty();
  if (from_flags) options.study = path_of(options, flags);
  study::StudyFile read =
      from_flags ? read_study_text(options.study, flags) : study::read_study_file(options.study);
  find_platforms(read);
  if (options.slurm_shards > 0) {
    if (from_flags) write_study(options, flags.text);
    return write_slurm(options);
  }
  study::StudyRun study{.study = read,
                        .database = options.database,
                        .shard = parse_shard(options.shard),
                        .processes = options.jobs,
                        .retry = options.retry,
                        .answered_by = version(),
                        .replay = options.replay,
                        .jobs = jobs_reader(std::filesystem::path(options.study).parent_path())};
  if (study.database.empty())
    study.database = study::database_of(options.study, study.shard.index, study.shard.count);
  for (const std::string& note : make_matrices(
           study.study, [](const std::filesystem::path& file) { spdlog::info("making {}", file.string()); }))
    spdlog::warn("{}", note);
  // Reads them once.
  const std::vector<platform::PlatformDocument> kept(read.platforms.begin(), read.platforms.end());
  study::StudyEvents events = study_progress();
  if (from_flags) events.ready = [&] { write_study(options, flags.text); };
  const std::size_t interrupted = run_study(study, events);

  const study::Database database(study.database);
  constexpr std::size_t shown = 10;
  output::Table table = fastest_points(database, shown);
  table.notes.push_back(simulated_note(options.replay));
  if (!read.pattern.empty()) table.notes.emplace_back(closed_form_note);
  if (read.is_of_jobs())
    table.notes.emplace_back(
        "sim.: until the last rank of all jobs ends; slow-down: of the job that the others slow most");
  std::vector<Run> runs;
  const study::StudyInputs inputs = open_inputs(study.study, study.jobs);
  if (std::string note = work_left_out(inputs.programs); !note.empty())
    table.notes.push_back(std::move(note));
  const std::vector<study::StudyPoint> points = points_of(study.study, inputs);
  for (const study::StudyPoint& point : points)
    if (point.infeasible.empty() && !read.pattern.empty()) runs.push_back(point.run);
  const std::string left_out = points_left_out(points);
  if (!left_out.empty()) table.notes.push_back(left_out);
  std::ranges::move(policy::idle_ranks_notes(runs), std::back_inserter(table.notes));
  std::ranges::move(derived_notes(runs, inputs.platforms), std::back_inserter(table.notes));
  table.notes.push_back(fmt::format("all points: finegrain study export {}", study.database.string()));
  if (std::ranges::none_of(points, [](const auto& point) { return point.infeasible.empty(); }))
    throw InputError(study.study.file.string(), left_out, "Change its axes, or the platform");
  print_answer({table}, "", output::parse_format(options.format));
  if (interrupted > 0) {
    throw InputError(study.database.string(),
                     fmt::format("{} of its simulations {} killed (out of memory?)", interrupted,
                                 interrupted == 1 ? "was" : "were"),
                     "Run the same command again, or with a smaller -j");
  }
}

void write_page(const std::string& database, const std::string& out, bool force) {
  AtomicFile file(out, report::page_kind(), {{database}, force});
  nlohmann::json data = study::page_data(study::Database(database));
  data["version"] = version();
  file.write(report::page_of(data));
  file.commit();
  std::cout << fmt::format("{}: {}. Open it in a browser\n", printable(out),
                           format_count(data["study"]["points"].size(), "point"));
}

void verify(const std::string& path) {
  const study::Database database(path);
  const std::vector<study::PointState> states = database.states();
  const study::StudyIdentity& identity = database.identity();
  std::cout << fmt::format(
      "{}: whole. Shard {}/{} of {}: {}, {}, {}\n", path, identity.shard.index, identity.shard.count,
      identity.study, format_count(states.size(), "point"),
      format_count(std::ranges::count_if(states, &study::PointState::has_closed_form), "closed form"),
      format_count(std::ranges::count_if(states, &study::PointState::simulated), "simulation"));
}

}  // namespace

void add_study_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("study",
                                         "Many runs at once: every combination of matrices, policies, ranks, "
                                         "BLOCKSIZEs and platforms that a study\n"
                                         "file names. It computes the closed form of each, and simulates "
                                         "those that the file asks for. Finished results\n"
                                         "are kept in a database, so a study that was killed goes on where "
                                         "it stopped. docs/studies.md says more.");
  command->require_subcommand(1);

  CLI::App* running = command->add_subcommand("run", "Runs those points of a study that its database lacks");
  const auto options = std::make_shared<RunOptions>();
  running->add_option("study", options->study, "Study file (TOML)");
  std::vector<std::string> names;
  for (const pattern::PatternKind* kind : pattern::pattern_kinds())
    names.push_back(kind->flag());
  names.insert(names.end(),
               {"mesh", "tets", "trace", "jobs", "ordering", "policy", "ranks_per_node", "ranks", "nodes"});
  for (const pattern::Parameter& parameter : policy::all_parameters())
    if (parameter.is_axis) names.push_back(parameter.name);
  names.insert(names.end(), {"placement", "collective", "platform"});
  for (const std::string& name : names)
    options->axes.emplace_back(name, std::vector<std::string>());
  for (auto& [name, values] : options->axes) {
    CLI::Option* axis = running
                            ->add_option(study::flag_of(name), values,
                                         fmt::format("Instead of a study file: values of its axis {}", name))
                            ->group("Axes");
    if (name == "jobs") {
      axis->allow_extra_args(false)->description(
          "Instead of a study file: one of several jobs that run at the same time, as in finegrain compare "
          "(repeatable). A file may have several values of its axis jobs");
      continue;
    }
    axis->delimiter(',');
    if (name == "placement") axis->description(axis->get_description() + ": " + graph::placement_help());
    if (name == "platform") axis->transform(platform_by_name());
  }
  running
      ->add_option("--simulate", options->simulate,
                   "With the axes as flags: none, all, or \"best 10\". Default: none; for traces, all")
      ->group("Axes");
  running
      ->add_flag("--oversubscribe", options->oversubscribe,
                 "With the axes as flags: allow more ranks x threads on a node than it has cores")
      ->group("Axes");
  running->add_option("--database", options->database,
                      "Database for the results. Default: the study file's name with .sqlite");
  add_processes_option(*running, options->jobs);
  CLI::Option* shard = running->add_option(
      "--shard", options->shard,
      "Run only one part of the points, with a database of its own, e.g. 0/8 for the first of 8");
  running
      ->add_option("--slurm", options->slurm_shards,
                   "Run nothing, but write an sbatch script: a job array of this many shards")
      ->check(at_least_one())
      ->excludes(shard);
  running->add_flag("--retry", options->retry, "Simulate again what failed before");
  add_force(*running, options->force);
  add_one_flow_per_message(*running, options->replay);
  add_format_option(*running, options->format);
  running->callback([options] { run(*options); });

  CLI::App* exporting = command->add_subcommand("export", "Prints all points of a database, in order");
  const auto from = std::make_shared<std::string>();
  const auto format = std::make_shared<std::string>("csv");
  exporting->add_option("database", *from, "Database of a study, or of a shard")
      ->required()
      ->check(CLI::ExistingFile);
  exporting->add_option("--format", *format, "Output: json or csv")
      ->check(one_of({"json", "csv"}))
      ->capture_default_str();
  exporting->callback([from, format] {
    print(std::cout, {export_table(study::Database(*from))}, output::parse_format(*format));
  });

  CLI::App* reporting = command->add_subcommand(
      "report",
      "Writes one HTML page with charts: time against node-hours or energy, the points that no other point\n"
      "beats, a filter for every axis, and a table that can be sorted. It needs no server and no network.");
  const auto page = std::make_shared<std::string>();
  reporting->add_option("database", *from, "Database of a study, or of a shard")
      ->required()
      ->check(CLI::ExistingFile);
  reporting->add_option("--out", *page, "HTML file to write")->required();
  const auto replace = std::make_shared<bool>(false);
  add_force(*reporting, *replace);
  reporting->callback([from, page, replace] { write_page(*from, *page, *replace); });

  CLI::App* verifying = command->add_subcommand(
      "verify", "Reads all of a database and compares its digests. Exit code 1 if anything is damaged.");
  verifying->add_option("database", *from, "Database of a study, or of a shard")
      ->required()
      ->check(CLI::ExistingFile);
  verifying->callback([from] { verify(*from); });

  CLI::App* merging = command->add_subcommand("merge", "Makes one database of all shards' databases");
  const auto shards = std::make_shared<std::vector<std::filesystem::path>>();
  const auto out = std::make_shared<std::string>();
  merging->add_option("shards", *shards, "Databases of the shards")->required();
  merging->add_option("--out", *out, "Database to make")->required();
  const auto force = std::make_shared<bool>(false);
  add_force(*merging, *force);
  merging->callback([shards, out, force] { study::merge_shards(*shards, *out, *force); });

  command->add_subcommand("example", "Prints a study file to begin with")->callback([] {
    fmt::print(example_study, fmt::join(candidate_names(), "\", \""), policy::usual_policy().name());
  });
  command->footer(
      "Example: finegrain study run --matrix heart.fgm --nodes 'powers of two 1..16' --ranks-per-node 16 \\\n"
      "           --blocksize auto,1024 --platform platforms/abel.xml --simulate 'best 2'\n"
      "         finegrain study run --trace my_trace --platform platforms/abel.xml \\\n"
      "           --collective default,allreduce=ring --placement block,cyclic\n"
      "         finegrain study example > study.toml\n"
      "         finegrain study run study.toml -j 8\n"
      "         finegrain study export study.sqlite --format csv\n"
      "         finegrain study report study.sqlite --out study.html\n"
      "         finegrain study verify study.sqlite");
}

}  // namespace finegrain::cli
