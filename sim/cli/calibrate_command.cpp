// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "kernels/micro/message_sizes.hpp"
#include "sim/calibration/fits.hpp"
#include "sim/calibration/platform_xml.hpp"
#include "sim/calibration/plot_script.hpp"
#include "sim/calibration/quietness.hpp"
#include "sim/cli/answer.hpp"
#include "sim/cli/calibration_benchmarks.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/launcher.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

struct CalibrateFlags {
  BenchmarkFlags benchmarks;
  std::filesystem::path out;
  std::optional<std::filesystem::path> plot;
  std::optional<std::filesystem::path> noise;
  bool force = false;
  std::string format = "table";
  std::string table;
};

/// Median, first and last decile of a quantity in a unit for people, and how many samples.
std::vector<output::Cell> cells(std::string name, const calibration::Measured& measured, double factor,
                                const char* unit) {
  return {std::move(name),       measured.median * factor, std::string(unit),
          measured.p10 * factor, measured.p90 * factor,    measured.samples};
}

void add_messages(output::Table& table, const char* where, const calibration::Messages& messages) {
  for (const auto& [size_bytes, seconds] : messages.times)
    table.rows.push_back(cells(fmt::format("{}, {} B", where, size_bytes), seconds, 1e6, "us"));
  table.rows.push_back(cells(fmt::format("{}, LogGP o_s", where), messages.send_overhead_s, 1e6, "us"));
  table.rows.push_back(cells(fmt::format("{}, LogGP o_r", where), messages.receive_overhead_s, 1e6, "us"));
  for (const auto& [name, value, unit] :
       {std::tuple("L", messages.latency_s * 1e6, "us"), std::tuple("g", messages.gap_s * 1e6, "us"),
        std::tuple("G", messages.gap_s_per_byte * 1e9, "ns/B")})
    table.rows.push_back({fmt::format("{}, LogGP {}", where, name), value, std::string(unit), {}, {}, {}});
  table.rows.push_back(cells(fmt::format("{}, random get", where), messages.get_s, 1e6, "us"));
}

std::vector<output::Table> tables_of(const calibration::Calibration& found, const CalibrateFlags& options) {
  const auto columns = [](output::Column first) {
    return std::vector<output::Column>{std::move(first),
                                       {"median", "median", 3, output::Origin::measured},
                                       {"unit", "unit"},
                                       {"p10", "10 %", 3, output::Origin::measured},
                                       {"p90", "90 %", 3, output::Origin::measured},
                                       {"samples", "of"}};
  };
  output::Table properties{
      .title = fmt::format("{}, {}: {}", found.cpu, format_count(found.cores, "core"), options.out.string()),
      .columns = columns({"property", "property"}),
      .rows = {},
      .notes = {},
      .name = "properties"};
  for (const calibration::CalibratedProperty& property : calibrated_properties(found)) {
    properties.rows.push_back(cells(property.name, property.value, 1, property.unit.c_str()));
    properties.notes.push_back(fmt::format("{}: {}", property.name, property.origin));
  }
  if (found.between_nodes)
    if (const std::size_t pieces = fit_network(found).pieces.size(); pieces > 1)
      properties.notes.push_back(fmt::format(
          "Messages between nodes lie on {} lines by size (latency_factors, bandwidth_factors)", pieces));
  for (const auto& [what, worst_deviation, where] : qualities(found))
    properties.notes.push_back(
        fmt::format("Fit of {}: at worst {:+.0f} % {}", what, 100 * worst_deviation, where));
  properties.notes.emplace_back("STREAM counts 24 bytes an element; GBps: 10^9 bytes a second.");
  properties.notes.push_back(fmt::format("{}: {}.", is_quiet(found) ? "Quiet" : "BUSY, so do not trust these",
                                         describe_quietness(found)));
  if (found.oversubscribed) properties.notes.emplace_back("Oversubscribed: more ranks than cores.");
  properties.notes.push_back("CPUs of the ranks: " + found.pinning);

  output::Table others{.title = "Also measured",
                       .columns = columns({"what", "what"}),
                       .rows = {},
                       .notes = {},
                       .name = "others"};
  for (const auto& [ranks, bandwidth] : found.triad_bytes_per_s)
    others.rows.push_back(
        cells(fmt::format("STREAM triad, {}", format_count(ranks, "rank")), bandwidth, 1e-9, "GBps"));
  for (const auto& [ranks, seconds] : found.barrier_s)
    others.rows.push_back(cells(fmt::format("barrier, {}", format_count(ranks, "rank")), seconds, 1e6, "us"));
  add_messages(others, "within a node", found.within_node);
  if (found.between_nodes) add_messages(others, "between nodes", *found.between_nodes);
  if (found.replies) {
    const std::string of = fmt::format("{:.0f} B", found.replies->bytes);
    others.rows.push_back(cells(of + " between nodes, expected", found.replies->expected_s, 1e6, "us"));
    others.rows.push_back(cells(of + " between nodes, receive late", found.replies->late_s, 1e6, "us"));
    others.rows.push_back(cells("answer between nodes", found.replies->answer_s, 1e6, "us"));
    others.rows.push_back(cells("answer beside data", found.replies->answer_beside_data_s, 1e6, "us"));
    others.rows.push_back(cells("the rest of that data", found.replies->rest_of_data_s, 1e6, "us"));
    if (const auto& apart = found.replies->answers_apart_s)
      others.rows.push_back(cells("answers to two messages, apart", *apart, 1e6, "us"));
    if (const auto& beside_others = found.replies->answer_beside_others_s)
      others.rows.push_back(cells("answer beside others' data", *beside_others, 1e6, "us"));
  }
  for (const auto& [test, pattern, seconds] : found.accesses)
    others.rows.push_back(cells(fmt::format("{}, {}", test, pattern), seconds, 1e6, "us"));
  others.notes.emplace_back("Messages: half a round trip. LogGP, natural ring, streaming: docs/platforms.md");
  return {properties, others};
}

/// gnuplot's terminal for a picture. @throws InputError
std::string terminal_of(const std::filesystem::path& picture) {
  const std::string extension = picture.extension().string();
  if (extension == ".svg") return "svg";
  if (extension == ".png") return "pngcairo";
  throw InputError("--plot", fmt::format("{} is neither .svg nor .png", picture.string()), "Name it so");
}

/// A picture, and beside it the script, from which it can be drawn again.
class Plot {
 public:
  Plot(const std::filesystem::path& picture, const Protection& protection)
      : terminal_(terminal_of(picture)),
        script_path_(std::filesystem::path(picture).replace_extension(".gp")),
        script_(script_path_, calibration::plot_script_kind(), protection),
        picture_(picture, calibration::marked_picture_kind(picture.extension().string()), protection) {}

  void draw(const calibration::Calibration& found) {
    script_.write(plot_script(found, terminal_));
    script_.commit();
    const Output output = read_output({"gnuplot", script_path_.string()});
    if (output.exit_code != 0) {
      throw InputError("gnuplot", fmt::format("failed with exit code {}", output.exit_code),
                       fmt::format("Run it alone to see why: gnuplot {}", script_path_.string()));
    }
    picture_.write(calibration::marked_picture(output.text));
    picture_.commit();
  }

 private:
  std::string terminal_;
  std::filesystem::path script_path_;
  AtomicFile script_;
  AtomicFile picture_;
};

void check(const CalibrateFlags& options) {
  if (options.benchmarks.ranks.value_or(1) < 1)
    throw InputError("--ranks", fmt::format("{} is not a number of ranks", *options.benchmarks.ranks),
                     "Give 1 or more");
  if (!options.benchmarks.launcher.hostfile.empty() && options.benchmarks.nodes == 1)
    throw InputError("--hostfile", "one node is measured without it", "Give --nodes as well");
  if (options.benchmarks.array_size) parse_size_bytes(*options.benchmarks.array_size, "--bytes");
  if (!options.benchmarks.messages.empty()) micro::parse_message_sizes(options.benchmarks.messages);
}

FileKind noise_kind() {
  return {"a recording of noise", {".csv"}, [](std::string_view content) {
            return content.starts_with("# noise_mpi:");
          }};
}

void calibrate(const CalibrateFlags& options) {
  const output::Format format = output::parse_format(options.format);
  check(options);
  const Protection protection{options.benchmarks.launcher.hostfile.empty()
                                  ? std::vector<std::filesystem::path>{}
                                  : std::vector<std::filesystem::path>{options.benchmarks.launcher.hostfile},
                              options.force};
  AtomicFile file(options.out, calibration::calibrated_platform_kind(), protection);
  std::optional<Plot> plot;
  if (options.plot) plot.emplace(*options.plot, protection);
  std::optional<AtomicFile> noise;
  if (options.noise) noise.emplace(*options.noise, noise_kind(), protection);
  const calibration::Calibration found = run_benchmarks(options.benchmarks);
  if (noise) noise->write(record_noise(options.benchmarks));
  if (!options.benchmarks.even_if_busy) refuse_busy(found);
  refuse_bad_fits(found, options.benchmarks.worst_fit_percent / 100);
  if (plot) plot->draw(found);
  if (noise) noise->commit();
  file.write(platform_xml(found));
  file.commit();
  print(std::cout, output::chosen(tables_of(found, options), options.table), format);
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  auto options = std::make_shared<CalibrateFlags>();
  auto* command = app.add_subcommand(
      "calibrate",
      "Measures this machine, and writes it as a platform file. A comment gives the spread of each "
      "number.\n"
      "It measures memory bandwidth by number of ranks (STREAM), and messages between two ranks (MPI\n"
      "ping-pong). To these it fits latency + size / bandwidth; above the eager limit, three latencies.\n"
      "Between nodes, it fits as many lines by size as the times show (latency_factors, bandwidth_factors).\n"
      "It also measures and shows LogGP's parameters, barriers, and single accesses in UPC++.\n"
      "docs/platforms.md says which number goes where. It takes about 8 s. Other programs that run\n"
      "meanwhile would change the numbers, so it refuses a busy machine (--even-if-busy).\n"
      "For a cluster (--nodes, in a Slurm allocation or with --hostfile) it measures this node, and the\n"
      "network between two nodes. It then writes a cluster of that many nodes behind one ideal switch.");
  command->add_option("--out", options->out, "Platform file to write, e.g. this.xml")->required();
  command->add_option("--plot", options->plot,
                      "Draw points and fit into this .svg or .png; the gnuplot script stays beside it");
  command->add_option(
      "--noise", options->noise,
      "Also record what the operating system takes of each core, into this .csv, for replay --noise");
  add_force(*command, options->force);
  command
      ->add_option("--worst-fit", options->benchmarks.worst_fit_percent,
                   "Write nothing if a fit is more than this many percent away from a measured median")
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  command->add_flag(
      "--even-if-busy", options->benchmarks.even_if_busy,
      fmt::format("Measure once, and write the file however busy the machine is. Without this flag, "
                  "calibrate measures up to three times, and refuses to write the file if other programs "
                  "still have more than {:.0f} % of the CPUs' time, or if STREAM's repeats lie {:.0f} % "
                  "apart",
                  100 * calibration::most_others_share, 100 * calibration::most_spread));
  command->add_option("--ranks", options->benchmarks.ranks, "Most ranks to measure (default: one a core)");
  command
      ->add_option("--nodes", options->benchmarks.nodes,
                   "Nodes of the cluster; the network is measured between two")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  add_launcher_options(*command, options->benchmarks.launcher);
  command->add_option("--bytes", options->benchmarks.array_size,
                      "Size of each STREAM array (default: 4 x the last-level cache), e.g. 512MiB");
  command
      ->add_option("--messages", options->benchmarks.messages,
                   "Sizes of the ping-pong's messages: the smallest, and those that your code sends "
                   "(default: twelve from 8 B to 1 MiB)")
      ->delimiter(',');
  add_format_option(*command, options->format);
  add_table_choice(*command, options->table, {"properties", "others"});
  command->footer(
      "Examples: finegrain calibrate --out this.xml --plot this.svg\n"
      "          salloc -N 4 finegrain calibrate --nodes 4 --out cluster.xml\n"
      "          finegrain calibrate --out this.xml --noise this.csv\n"
      "          finegrain calibrate --messages 8B,64KiB,512KiB --out large-messages.xml");
  command->callback([options] { calibrate(*options); });
}

}  // namespace finegrain::cli
