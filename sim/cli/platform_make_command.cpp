// SPDX-License-Identifier: MIT
#include <spdlog/spdlog.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/commands.hpp"
#include "sim/cli/workload.hpp"
#include "sim/platform/memory_file.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/simgrid_limits.hpp"
#include "sim/platform_make/made_platform.hpp"
#include "sim/platform_make/made_xml.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::cli {
namespace {

struct PlatformMakeFlags {
  platform_make::Sources sources;
  bool typical = false;
  std::filesystem::path out;
  bool force = false;
};

/// Refuses what SimGrid would take minutes to load, before anything is written.
void check_made(const std::string& xml, const std::filesystem::path& out) {
  const platform::MemoryFile copy(xml, out.string());
  try {
    platform::check_numbers_and_sizes(platform::PlatformDocument(copy.path()));
  } catch (const InputError& error) {  // its place is in no file
    throw InputError("the machine", error.problem(), error.remedy());
  }
}

void write_made_platform(const PlatformMakeFlags& options) {
  const platform_make::Sources& sources = options.sources;
  const Protection protection{platform_make::files_of(sources), options.force};
  AtomicFile out(options.out, platform_make::made_platform_kind(), protection);
  const platform_make::MadePlatform made = platform_make::make_platform(
      sources, options.typical ? platform_make::Missing::taken_as_typical : platform_make::Missing::refused);
  check_made(made.xml, options.out);
  out.write(made.xml);
  out.commit();
  for (const std::string& note : made.notes)
    spdlog::warn("{}", note);
}

}  // namespace

void add_platform_make(CLI::App& platform_command, std::function<void(const std::string& file)> show) {
  CLI::App* command = platform_command.add_subcommand(
      "make",
      "Writes a platform file from what there is: a machine in one line, Slurm's\n"
      "files, or what ibnetdiscover or iblinkinfo print. The file says of each number\n"
      "where it is from. What nobody gave is asked for, all at once, or taken as\n"
      "typical. The line has clauses, e.g. 'fat_tree: 3 levels, 40-port, 1600 nodes,\n"
      "2:1; node: 2 x 64 cores; link: 200Gbps 300ns'; docs/platforms.md has its grammar.");
  const auto options = std::make_shared<PlatformMakeFlags>();
  command->add_option(
      "line", options->sources.line,
      "The machine, or what the files do not say of it: fat_tree, dragonfly, torus or switch; "
      "node; link; uplinks");
  CLI::Option* topology =
      command->add_option("--slurm-topology", options->sources.slurm_topology,
                          "Slurm's topology.conf or topology.yaml: switches and nodes of a tree, or blocks");
  command->add_option("--slurm-conf", options->sources.slurm_conf,
                      "Slurm's slurm.conf: cores, sockets and memory of the nodes");
  CLI::Option* discovered =
      command
          ->add_option("--ibnetdiscover", options->sources.ibnetdiscover,
                       "What ibnetdiscover prints: switches, adapters, and each cable with its rate")
          ->excludes(topology);
  command
      ->add_option("--iblinkinfo", options->sources.iblinkinfo,
                   "What iblinkinfo prints: as ibnetdiscover, and which cables are slow or down")
      ->excludes(topology)
      ->excludes(discovered);
  command->add_option("--lstopo", options->sources.lstopo,
                      "What lstopo --of xml prints on a node: cores, sockets, memories, hardware threads");
  command
      ->add_option("--measured", options->sources.measured,
                   "What osu_latency, osu_bw or IMB's PingPong printed between two nodes, or a file of "
                   "finegrain calibrate (repeatable): latency, bandwidth, overhead, eager limit")
      ->allow_extra_args(false);
  command
      ->add_option("--without", options->sources.without,
                   "Leave out this broken cable, e.g. link:leaf1-22_spine1-12 (repeatable), which other ways "
                   "go around")
      ->allow_extra_args(false);
  command->add_flag("--typical", options->typical,
                    "Take a typical number for each that is missing; the file says so, and its source");
  command->add_option("--out", options->out, "File to write, e.g. cluster.xml")->required();
  add_force(*command, options->force);
  command->footer(
      "Example: finegrain platform make 'torus: 8 x 8 x 4; node: 64 cores; link: 100Gbps 500ns' --typical "
      "--out torus.xml\n"
      "         finegrain platform make 'link: 100Gbps' --slurm-topology topology.conf --slurm-conf "
      "slurm.conf "
      "--typical --out cluster.xml");
  command->callback([options, show = std::move(show)] {
    write_made_platform(*options);
    show(options->out.string());
  });
}

}  // namespace finegrain::cli
