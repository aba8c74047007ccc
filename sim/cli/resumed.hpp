// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

#include "sim/replay/replay.hpp"

namespace finegrain::cli {

/// Adds --resume: the simulations of `options` are kept in an SQLite file as they end, and taken from there
/// if the same command is given again. It is the same with other --jobs, --format, --out, --write and
/// --force. The file is made when the first simulation begins.
CLI::Option* add_resume(CLI::App& command, replay::ReplayOptions& options);

}  // namespace finegrain::cli
