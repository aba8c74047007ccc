// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <pugixml.hpp>
#include <sstream>

#include "kernels/machine/memory.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/mpirun.hpp"
#include "sim/output/table.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain {
namespace {

using nlohmann::json;

struct Options {
  std::filesystem::path out;
  std::optional<int> ranks;
  std::optional<std::string> array_size;
  std::string format = "table";
};

/// A quantity as it was measured.
struct Measured {
  std::string property;  ///< of PlatformCosts; empty: for information only
  std::string what;
  std::string unit;  ///< as SimGrid spells it
  double value = 0;  ///< the median, in `unit`
  double lowest = 0;
  double highest = 0;
  std::int64_t samples = 0;
};

struct Calibration {
  std::string cpu;
  int cores = 1;
  int ranks = 1;
  bool oversubscribed = false;
  std::vector<Measured> measured;
};

json run_benchmark(const MpiRun& run) {
  const Output output = read_program(mpirun_command(run));
  if (output.exit_code != 0) {
    throw InputError(fmt::format("{}: failed with exit code {}. Run it alone to see why: {}", run.program,
                                 output.exit_code, shell_quoted(mpirun_command(run))));
  }
  const json result = json::parse(output.text, nullptr, false);
  if (result.is_discarded()) {
    throw InputError(
        fmt::format("{}: printed no JSON (does mpirun add to its output?). Run it alone to see: {}",
                    run.program, shell_quoted(mpirun_command(run))));
  }
  return result;
}

/// Bandwidth of one rank alone, of some numbers in between, and of all.
void measure_memory(const Options& options, Calibration& found) {
  spdlog::info("measuring memory bandwidth with 1 to {} ranks ...", found.ranks);
  MpiRun run{found.ranks, 1, "stream_mpi", {}};
  if (options.array_size) run.arguments = {"--bytes", *options.array_size};
  const json stream = run_benchmark(run);
  found.cpu = stream.at("cpu");
  found.oversubscribed = stream.at("oversubscribed");
  for (const json& team : stream.at("by_ranks")) {
    const int ranks = team.at("ranks");
    Measured bandwidth{"",
                       fmt::format("STREAM triad, {} rank{}", ranks, ranks == 1 ? "" : "s"),
                       "GBps",
                       team.at("median_bytes_per_s").get<double>() * 1e-9,
                       team.at("worst_bytes_per_s").get<double>() * 1e-9,
                       team.at("best_bytes_per_s").get<double>() * 1e-9,
                       team.at("repetitions")};
    if (ranks == 1) {
      bandwidth.property = "memory_bandwidth_per_core";
      found.measured.push_back(bandwidth);
    }
    if (ranks == found.ranks) bandwidth.property = "memory_bandwidth";
    if (ranks != 1 || found.ranks == 1) found.measured.push_back(bandwidth);
  }
}

/// Latency and bandwidth between two ranks.
void measure_messages(Calibration& found) {
  spdlog::info("measuring messages between two ranks ...");
  const json pingpong = run_benchmark({2, 1, "pingpong_mpi", {}});
  for (const json& size : pingpong.at("pairs").at(0).at("by_size")) {
    const json& seconds = size.at("half_round_trip_s");
    const double bytes = size.at("bytes");
    Measured message{"",
                     fmt::format("message of {} B, half round trip", bytes),
                     "us",
                     seconds.at("median").get<double>() * 1e6,
                     seconds.at("min").get<double>() * 1e6,
                     seconds.at("max").get<double>() * 1e6,
                     size.at("rounds")};
    if (bytes == 8) message.property = "local_latency";
    found.measured.push_back(message);
  }
}

pugi::xml_node append_comment(pugi::xml_node parent, const std::string& text) {
  pugi::xml_node comment = parent.append_child(pugi::node_comment);
  comment.set_value((" " + text + " ").c_str());
  return comment;
}

void append_property(pugi::xml_node zone, const char* id, const std::string& value) {
  pugi::xml_node property = zone.append_child("prop");
  property.append_attribute("id") = id;
  property.append_attribute("value") = value.c_str();
}

/// A SimGrid platform of one host.
std::string platform_xml(const Calibration& found) {
  pugi::xml_document document;
  document.append_child(pugi::node_declaration).append_attribute("version") = "1.0";
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  append_comment(
      document,
      fmt::format("This machine, one node: {}, {} cores. Made by finegrain calibrate; every value was "
                  "measured here.{}",
                  found.cpu, found.cores,
                  found.oversubscribed ? " OVERSUBSCRIBED: more ranks than cores." : ""));
  pugi::xml_node platform = document.append_child("platform");
  platform.append_attribute("version") = "4.1";
  pugi::xml_node zone = platform.append_child("zone");
  zone.append_attribute("id") = "this-machine";
  zone.append_attribute("routing") = "Full";
  for (const Measured& measured : found.measured) {
    if (measured.property.empty()) continue;
    append_comment(zone, fmt::format("{}: median of {}, {:.4g} to {:.4g} {}", measured.what, measured.samples,
                                     measured.lowest, measured.highest, measured.unit));
    append_property(zone, measured.property.c_str(), fmt::format("{:.6g}{}", measured.value, measured.unit));
  }
  append_comment(zone, "As the system says.");
  append_property(zone, "cache_line", fmt::format("{}B", cache_line_bytes()));
  append_comment(
      zone, "Between nodes nothing was measured (there is one): no message_overhead, tau, remote_bandwidth.");
  append_comment(zone, "speed is not used: finegrain replays bytes over memory, not flops.");
  pugi::xml_node host = zone.append_child("host");
  host.append_attribute("id") = "node-0";
  host.append_attribute("speed") = "1Gf";
  host.append_attribute("core") = found.cores;
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

std::vector<Table> tables_of(const Calibration& found, const std::filesystem::path& file) {
  const auto columns = [](Column first) {
    return std::vector<Column>{std::move(first),     {"median", "median"},   {"unit", "unit"},
                               {"lowest", "lowest"}, {"highest", "highest"}, {"samples", "of"}};
  };
  Table properties{.title = fmt::format("{}, {} cores: {}", found.cpu, found.cores, file.string()),
                   .columns = columns({"property", "property"}),
                   .rows = {},
                   .notes = {}};
  Table others{.title = "Also measured", .columns = columns({"what", "what"}), .rows = {}, .notes = {}};
  for (const Measured& measured : found.measured) {
    const bool is_property = !measured.property.empty();
    (is_property ? properties : others)
        .rows.push_back({is_property ? measured.property : measured.what, measured.value, measured.unit,
                         measured.lowest, measured.highest, measured.samples});
    if (is_property) properties.notes.push_back(fmt::format("{}: {}", measured.property, measured.what));
  }
  properties.notes.emplace_back("STREAM counts 24 bytes an element; GBps: 10^9 bytes a second.");
  if (found.oversubscribed) properties.notes.emplace_back("Oversubscribed: more ranks than cores.");
  return {properties, others};
}

void calibrate(const Options& options) {
  const Format format = parse_format(options.format);
  if (std::filesystem::is_directory(options.out))
    throw InputError(fmt::format("--out: {} is a folder. Give a file name", options.out.string()));
  if (options.ranks.value_or(1) < 1)
    throw InputError(fmt::format("--ranks: {} is not a number of ranks. Give 1 or more", *options.ranks));
  if (options.array_size) parse_size_bytes(*options.array_size, "--bytes");
  AtomicFile file(options.out);
  Calibration found;
  found.cores = cores_here();
  found.ranks = options.ranks.value_or(found.cores);
  measure_memory(options, found);
  measure_messages(found);
  file.write(platform_xml(found));
  file.commit();
  print(std::cout, tables_of(found, options.out), format);
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand(
      "calibrate",
      "Measures this machine (memory bandwidth by number of ranks: STREAM; messages between two ranks: MPI\n"
      "ping-pong) and writes it as a SimGrid platform of one node, each number with its spread in a "
      "comment.\n"
      "Takes some 6 s; what else runs meanwhile is measured too.");
  command->add_option("--out", options->out, "Platform file to write, e.g. this.xml")->required();
  command->add_option("--ranks", options->ranks, "Most ranks to measure (default: one a core)");
  command->add_option("--bytes", options->array_size,
                      "Size of each STREAM array (default: 4 x the last-level cache), e.g. 512MiB");
  command->add_option("--format", options->format, "Output: table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->footer("Example: finegrain calibrate --out this.xml");
  command->callback([options] { calibrate(*options); });
}

}  // namespace finegrain
