// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace finegrain::cli {

// Each subcommand adds itself to the command line and runs in its callback; an InputError it throws ends the
// program with exit code 1.
void add_mesh_command(CLI::App& app);
void add_record_command(CLI::App& app);
void add_schedule_command(CLI::App& app);
void add_graph_command(CLI::App& app);
void add_predict_command(CLI::App& app);
void add_replay_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_explore_command(CLI::App& app);
void add_study_command(CLI::App& app);
void add_tune_command(CLI::App& app);
void add_sensitivity_command(CLI::App& app);
void add_gate_command(CLI::App& app);
void add_diff_command(CLI::App& app);
void add_calibrate_command(CLI::App& app);
void add_validate_command(CLI::App& app);
void add_trace_command(CLI::App& app);
void add_platform_command(CLI::App& app);
/// Adds `completion SHELL`, which prints a script that completes subcommands, flags and their values there.
void add_completion_command(CLI::App& app);
/// Adds `trace scale`: a recorded program on another number of ranks.
void add_trace_scale(CLI::App& trace_command);
/// Adds `platform make`: a platform file from what a site has. @param show  prints what a platform file says
void add_platform_make(CLI::App& platform_command, std::function<void(const std::string& file)> show);

}  // namespace finegrain::cli
