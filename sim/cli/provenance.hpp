// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/platform/platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::cli {

/// Where the numbers of a table come from, as its notes say it.
inline constexpr const char* closed_form_note =
    "closed form: as_published, Lagravière et al. 2019, eqs. (5)-(22) (docs/model.md)";
inline constexpr const char* equations_note =
    "Equations: Lagravière et al. 2019, read as docs/model.md says.";

/// Something that has to be said of a run on a platform.
struct NoteOnPlatform {
  std::string platform;
  std::string text;
};

/// One note for each text, with the platforms that it is true of before it, in the order of the texts.
std::vector<std::string> shared_notes(std::span<const NoteOnPlatform> notes);

std::string simulated_note(const replay::ReplayOptions& options);
/// What a platform's file says of its memory.
std::string platform_note(const platform::Platform& platform);

}  // namespace finegrain::cli
