// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/platform_make/needed_numbers.hpp"

namespace finegrain::platform_make {

/// What a platform is made from. Empty: it is not given.
struct Sources {
  std::string line = {};  ///< the machine's (parse_machine_line())
  std::filesystem::path slurm_topology = {};
  std::filesystem::path slurm_conf = {};
  std::filesystem::path ibnetdiscover = {};
  std::filesystem::path iblinkinfo = {};
  std::filesystem::path lstopo = {};
  std::vector<std::filesystem::path> measured = {};  ///< add_measured_file()
  std::vector<std::string> without = {};             ///< broken cables: "link:leaf1-22_spine1-12"
};

struct MadePlatform {
  std::string xml;
  std::vector<std::string> notes;  ///< what of the files is not in it, and why
};

/// All files that are given.
std::vector<std::filesystem::path> files_of(const Sources& sources);

/// A SimGrid platform file from what there is. The network is the line's, topology.conf's, ibnetdiscover's or
/// iblinkinfo's; the nodes are the line's or slurm.conf's, and what these do not say is lstopo's. What the
/// line does not say of links is measured.
/// @throws InputError: a source is wrong, there is no network or more than one, or numbers are missing
MadePlatform make_platform(const Sources& sources, Missing missing);

}  // namespace finegrain::platform_make
