// SPDX-License-Identifier: MIT
#include "sim/cli/trace_export.hpp"

#include <fmt/format.h>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <set>

#include "kernels/problem/placement.hpp"
#include "sim/cli/call_names.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/trace_formats.hpp"
#include "sim/cli/workload.hpp"
#include "sim/collectives/decisions.hpp"
#include "sim/collectives/rank_call.hpp"
#include "traces/formats/format.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"
#include "traces/timeline_export.hpp"
#include "traces/trace_reader.hpp"
#include "traces/work_in_flops.hpp"

namespace finegrain::cli {
namespace {

struct Options {
  std::string trace;
  std::string out;
  bool force = false;
  std::string format = "chrome";
  SelectionOptions selection;
  CallNames names;
  std::string most = "200MB";
  double flops_per_byte = 1;
  std::optional<double> flops_per_second;
  std::string mpi = platform::Platform().mpi;
};

/// "3", or "16..31". Of those that the run did not have, the first is added alone: export_timeline refuses
/// it.
void add_ranks(std::set<int>& ranks, const std::string& text, int ranks_of_run) {
  const char* const end = text.data() + text.size();
  int first = 0;
  auto read = std::from_chars(text.data(), end, first);
  int last = first;
  if (read.ec == std::errc() && std::string_view(read.ptr, end).starts_with(".."))
    read = std::from_chars(read.ptr + 2, end, last);
  if (read.ec != std::errc() || read.ptr != end || first < 0 || last < first || last >= problem::most_ranks)
    throw InputError("--ranks", fmt::format("'{}' is no rank", text), "Give some, e.g. 0,16..31");
  for (int rank = first; rank <= std::max(first, std::min(last, ranks_of_run)); ++rank)
    ranks.insert(rank);
}

std::uint64_t parse_most_bytes(const std::string& text) {
  constexpr double most_bytes = 1e18;
  const double bytes = parse_size_bytes(text, "--most");
  if (bytes <= most_bytes) return static_cast<std::uint64_t>(bytes);
  throw InputError("--most", fmt::format("{} is more than 10^18 bytes", text), "Give less, e.g. 200MB");
}

/// The messages of a collective, between ranks of the run.
std::vector<Operation> expand(const Collective& collective, const Body& body, int rank,
                              const Programs& programs, const collectives::Decisions& decisions) {
  const collectives::RankCall of_rank = collectives::rank_call(collective, body, programs, rank);
  if (of_rank.call.ranks == 1) return {};
  std::vector<Operation> operations = collectives::expand(of_rank.call, decisions.choose(of_rank.call));
  for (Operation& operation : operations) {
    if (auto* post = std::get_if<Post>(&operation); post != nullptr && !of_rank.ranks.empty())
      post->peer = of_rank.ranks[static_cast<std::size_t>(post->peer)];
  }
  return operations;
}

/// Turns a trace's collectives into the messages of an MPI library's algorithms.
class Expansion {
 public:
  Expansion(const Trace& trace, const std::string& mpi) : programs_(trace), decisions_(mpi) {}
  formats::ExpandCollective function() const {
    return [this](const Collective& collective, const Body& body, int rank) {
      return expand(collective, body, rank, programs_, decisions_);
    };
  }

 private:
  RecordedPrograms programs_;
  collectives::Decisions decisions_;
};

std::vector<std::string> mpi_library_names() {
  const std::vector<std::string_view> names = collectives::mpi_names();
  return {names.begin(), names.end()};
}

/// A trace whose work is in flops has its seconds of a core of a certain speed, which other formats then say.
void check_flops(const Trace& trace, const Options& options) {
  const std::optional<double> own = work_flops_per_s(trace.manifest());
  if (!own) return;
  if (options.flops_per_second)
    throw InputError("--flops-per-second", fmt::format("the work of {} is in flops already", options.trace),
                     "Leave it out");
  if (options.format != "ti")
    spdlog::warn("the work of {} is in flops, and {} has seconds: those of a core of {:g} flop/s",
                 options.trace, options.format, *own);
}

void run(const Options& options) {
  const formats::Format& format = formats::format_named(options.format);
  if (options.names.by == "place" && !format.has_places)
    throw InputError("--by", fmt::format("{} has no names of calls", format.name),
                     "Give --format otf2, chrome, csv or paje");
  const Trace trace = open_trace(options.trace, options.names);
  if (format.needs_functions && !trace.names_functions()) {
    throw InputError(
        options.trace,
        fmt::format("is a run of finegrain's own kernels ({} is written of recorded programs)", format.name),
        "Give --format chrome or ti");
  }
  check_flops(trace, options);
  const Expansion expansion(trace, options.mpi);
  std::optional<Progress> progress;
  formats::ExportOptions how{selection_of(options.selection, trace),
                             expansion.function(),
                             options.flops_per_byte,
                             options.flops_per_second.value_or(flops_of_a_second),
                             {{options.trace}, options.force},
                             [&](int done, int all) {
                               if (!progress) progress.emplace("reading rank", static_cast<std::size_t>(all));
                               progress->show(static_cast<std::size_t>(done));
                             }};
  how.selection.most_bytes = parse_most_bytes(options.most);
  const formats::Export made = format.write(trace, options.out, how);
  if (progress) progress->clear();
  for (const std::string& note : made.notes)
    spdlog::warn("{}", note);
  if (made.left_out > 0) {
    spdlog::warn(
        "the last {} would make it larger than {}, and are left out. Give --most, --ranks, or "
        "--from and --until",
        format_count(made.left_out, "iteration"), options.most);
  }
  const std::string count = format_count(made.count, made.unit);
  fmt::print("{}: {}\n", printable(made.path.string()),
             made.bytes ? fmt::format("{}, {}", count, format_size(static_cast<double>(*made.bytes)))
                        : fmt::format("{}, {}", format_count(trace.manifest().run.ranks, "rank"), count));
  if (*made.opened_with != 0) fmt::print("Open it with {}\n", made.opened_with);
}

}  // namespace

void add_selection_options(CLI::App& command, SelectionOptions& options, const std::string& of) {
  command.add_option("--from", options.from, of + "from this time after the run's start on, e.g. 20ms")
      ->capture_default_str();
  command.add_option("--until", options.until, of + "until this time. Default: its end");
  command.add_option("--ranks", options.ranks, of + "these only, e.g. 0,16..31. Default: all")
      ->delimiter(',');
}

TimelineSelection selection_of(const SelectionOptions& options, const Trace& trace) {
  TimelineSelection selection;
  selection.from_s = parse_time_s(options.from, "--from");
  if (!options.until.empty()) selection.until_s = parse_time_s(options.until, "--until");
  if (selection.until_s < selection.from_s)
    throw InputError("--until", fmt::format("{} is before --from {}", options.until, options.from),
                     "Give a later one");
  for (const std::string& ranks : options.ranks)
    add_ranks(selection.ranks, ranks, trace.manifest().run.ranks);
  return selection;
}

void add_trace_export(CLI::App& trace_command) {
  CLI::App* command = trace_command.add_subcommand(
      "export", "Writes a recorded run for other tools." + list_of_formats(Direction::written));
  const auto options = std::make_shared<Options>();
  command->add_option("TRACE", options->trace, "Folder of a recording, or the file that pack made of it")
      ->required();
  command
      ->add_option("--out", options->out,
                   "File to write; ti: folder, made if it is not there; otf2: new folder")
      ->required();
  add_force(*command, options->force);
  const std::vector<std::string> names = names_of_formats(Direction::written);
  command->add_option("--format", options->format, names_in_words(names))
      ->check(one_of(names))
      ->capture_default_str();
  add_call_names(*command, options->names);
  add_selection_options(*command, options->selection, "chrome, csv: ");
  command
      ->add_option(
          "--most", options->most,
          "Size of the file, or of ti's files together. chrome, csv: iterations that do not fit are left "
          "out; paje, goal, ti: refused if they do not fit")
      ->capture_default_str();
  command
      ->add_option(
          "--flops-per-byte", options->flops_per_byte,
          "ti: flops for each byte moved over memory: the speed of SMPI's hosts, in flop/s, over the memory "
          "bandwidth of a core, in B/s")
      ->check(number_between(1e-9, 1e9))
      ->capture_default_str();
  command
      ->add_option("--flops-per-second", options->flops_per_second,
                   "ti, of a recorded program: flops for each second of its work: the speed of SMPI's hosts. "
                   "Default: 1e9")
      ->check(number_between(1, 1e18));
  command
      ->add_option("--mpi", options->mpi,
                   "goal: the MPI library whose algorithms turn collectives into messages; ti: those of some "
                   "ranks only, which the format does not have")
      ->check(one_of(mpi_library_names()))
      ->capture_default_str();
  command->footer(
      "Example: finegrain trace export runs/heart --out heart.json --from 20ms --until 40ms --ranks 0..15\n"
      "         finegrain trace export runs/heart --format ti --out ti --flops-per-byte 1.57\n"
      "         smpirun -np 16 -hostfile hosts -platform platforms/hdr_infiniband.xml -replay ti/trace.txt");
  command->callback([options] { run(*options); });
}

}  // namespace finegrain::cli
