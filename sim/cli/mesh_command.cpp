// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/problem/matrix_facts.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "kernels/problem/matrix_source.hpp"
#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct MeshFlags {
  std::int64_t tets = 0;
  std::filesystem::path input;
  std::optional<std::string> order;
  double most_padding = problem::usual_most_padding;
  std::uint64_t seed = 1;
  std::filesystem::path out;
  std::filesystem::path info;
  bool force = false;
  std::string format = "table";
};

/// Writes to the log how long each step took: on a terminal as it ends, else when all went well, so that an
/// error is one line.
class StepTimer {
 public:
  void finished(std::string_view step) {
    const auto now = std::chrono::steady_clock::now();
    steps_.push_back(
        fmt::format("{:<10} {:6.2f} s", step, std::chrono::duration<double>(now - started_).count()));
    started_ = now;
    if (on_terminal_) log();
  }

  void log() {
    for (const std::string& step : steps_)
      spdlog::info(step);
    steps_.clear();
  }

 private:
  bool on_terminal_ = stderr_is_terminal();
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::vector<std::string> steps_;
};

/// What would fail at the end, after the work, is asked for at the beginning.
void check_before_work(const MeshFlags& options, const Protection& protection) {
  if (!options.out.has_filename() || std::filesystem::is_directory(options.out)) {
    throw InputError("--out", fmt::format("'{}' is not a file name", options.out.string()),
                     "Give one, e.g. heart.fgm");
  }
  const std::filesystem::path folder = options.out.has_parent_path() ? options.out.parent_path() : ".";
  if (!std::filesystem::is_directory(folder) || ::access(folder.c_str(), W_OK) != 0) {
    throw InputError("--out", fmt::format("{} is not a folder that can be written to", folder.string()),
                     "Make it first");
  }
  check_replaceable(options.out, problem::matrix_file_kind(), protection);
}

problem::MatrixSource source_of(const MeshFlags& options) {
  problem::MatrixSource source{.tets = options.tets,
                               .input = options.input,
                               .order = {},
                               .most_padding = options.most_padding,
                               .seed = options.seed};
  if (options.order) source.order = problem::parse_row_order(*options.order);
  return source;
}

void make(const MeshFlags& options, StepTimer& timer) {
  Protection protection{{options.input}, options.force};
  // TetGen's mesh is two files, whichever of them was named.
  for (const char* ending : {".node", ".ele"})
    protection.inputs.push_back(std::filesystem::path(options.input).replace_extension(ending));
  check_before_work(options, protection);
  const problem::MadeMatrix made =
      make_matrix(source_of(options), [&](std::string_view step) { timer.finished(step); });
  for (const std::string& note : made.notes)
    spdlog::warn("{}", note);
  write_matrix(options.out, made.matrix.view(), made.description, protection);
  timer.finished("write");
}

void print_facts(const problem::MatrixFile& file, std::uintmax_t size_bytes, output::Format format) {
  const problem::EllpackView& matrix = file.view();
  const problem::MatrixFacts facts = facts_of(matrix);
  const double entries = static_cast<double>(matrix.rows) * matrix.r_nz;
  const output::Table table{
      .title = fmt::format("{}: {}", file.name(), file.description()),
      .columns = {{"rows", "rows"},
                  {"r_nz", "r_nz"},
                  {"padding_percent", "padding %", 2},
                  {"bandwidth", "bandwidth"},
                  {"mean_distance", "mean |i-j|", 1},
                  {"digest", "digest of J"},
                  {"size_bytes", "bytes"}},
      .rows = {{matrix.rows, std::int64_t{matrix.r_nz},
                100 * static_cast<double>(facts.padding_entries) / entries, facts.bandwidth,
                facts.mean_distance, file.digest(), static_cast<std::int64_t>(size_bytes)}},
      .notes = {"padding: entries that point at their own row; bandwidth: largest |i-j|; "
                "both and the mean from the column indices J. All checksums are right."}};
  print(std::cout, {table}, format);
}

enum class Job : std::uint8_t { make, describe };

void run(const MeshFlags& options, Job job) {
  const output::Format format = output::parse_format(options.format);
  StepTimer timer;
  if (job == Job::make) make(options, timer);
  const std::filesystem::path& path = job == Job::make ? options.out : options.info;
  const problem::MatrixFile file(path);
  file.verify_values();
  timer.finished("verify");
  timer.log();
  print_facts(file, std::filesystem::file_size(path), format);
}

}  // namespace

void add_mesh_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "mesh",
      "Makes the matrix that everything else works on. It puts the rows in order and\n"
      "writes the matrix to a file. From a mesh of tetrahedra it makes a step of diffusion:\n"
      "each row is a tetrahedron, coupled to those at most two faces away (up to 16).\n"
      "  --tets N           the mesh of an idealized left ventricle (7 x 17 to\n"
      "                     10 x 20 mm, base at 5 mm)\n"
      "  x.node or x.ele    TetGen: both files are read\n"
      "  x.msh              Gmsh, MSH 2, 4.0 or 4.1, text or binary: its tetrahedra\n"
      "  x.mtx              Matrix Market, sparse and square: the matrix itself\n"
      "These may be compressed, e.g. x.mtx.gz. docs/matrix-file.md says what is read.\n"
      "Or checks such a file and says what is in it.");
  auto options = std::make_shared<MeshFlags>();
  auto* tets = command->add_option("--tets", options->tets, "Tetrahedra = rows, exactly this many")
                   ->check(CLI::Range(std::int64_t{1}, problem::max_tets));
  auto* input = command->add_option("input,--in", options->input, "Mesh or matrix to read, e.g. heart.msh")
                    ->excludes(tets);
  command
      ->add_option("--order", options->order,
                   "Order of the rows: sbd or gnd (bisection, separators between or behind the "
                   "halves: nearest to the papers' traffic, chosen after the fact), rcm (reverse "
                   "Cuthill-McKee), hilbert (curve), none, random. For .mtx none, random or rcm. "
                   "(default: sbd; none for .mtx)")
      ->check(one_of({"sbd", "gnd", "rcm", "hilbert", "none", "random"}));
  command->add_option("--seed", options->seed, "Seed of the mesh's random cuts, and of the order random")
      ->capture_default_str();
  command
      ->add_option("--most-padding", options->most_padding,
                   "All rows are stored as long as the longest one. Refuses an .mtx file that would store "
                   "more than this many entries for each one of the matrix")
      ->check(number_between(1, problem::largest_most_padding))
      ->capture_default_str();
  auto* out = command->add_option("--out", options->out, "Matrix file to write, e.g. heart.fgm");
  add_force(*command, options->force);
  auto* info = command->add_option("--info", options->info, "Matrix file to check and describe")
                   ->excludes(tets)
                   ->excludes(input)
                   ->excludes(out);
  tets->needs(out);
  input->needs(out);
  add_format_option(*command, options->format);
  command->footer(
      "Example: finegrain mesh --tets 1000000 --out heart.fgm\n"
      "         finegrain mesh heart.msh --order rcm --out heart.fgm\n"
      "         finegrain mesh --info heart.fgm --format json\n"
      "The file needs 200 bytes for each tetrahedron, the memory up to 290. The log has\n"
      "the seconds of each step. What is in the file: docs/matrix-file.md.");
  command->callback([options, tets, input, out, info] {
    const bool makes = !tets->empty() || !input->empty();
    if (makes == !info->empty() || makes == out->empty())
      throw CLI::RequiredError("--tets or a file to read, with --out, or --info,");
    run(*options, makes ? Job::make : Job::describe);
  });
}

}  // namespace finegrain::cli
