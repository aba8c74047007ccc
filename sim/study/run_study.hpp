// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sim/replay/replay.hpp"
#include "sim/study/answer.hpp"
#include "sim/study/database.hpp"
#include "sim/study/points.hpp"

namespace finegrain::study {

struct StudyRun {
  StudyFile study;
  std::filesystem::path database;
  Shard shard;
  int processes = 1;
  bool retry = false;       ///< simulates again the points whose simulation failed
  std::string answered_by;  ///< name and version of this program
  replay::ReplayOptions replay = {};
  JobsReader jobs = {};  ///< only for a study of jobs
};

/// Functions that a running study calls to report what it does.
struct StudyEvents {
  /// Called when the inputs have been read and the database is open.
  std::function<void()> ready = [] {};
  /// Called if the database was damaged. The damaged points are computed again.
  std::function<void(const Damage& damage)> repaired = [](const Damage&) {};
  /// How many points the study has, how many of this shard's points cannot run, and how many of them have
  /// their closed form from an earlier run.
  std::function<void(std::int64_t points, std::int64_t infeasible, std::int64_t closed_forms_known)> opened;
  /// How many closed forms are to be computed, and how many layouts have to be counted for them. Counting
  /// takes most of the time.
  std::function<void(std::size_t points, std::size_t layouts)> computing;
  std::function<void(std::size_t finished, std::size_t of)> closed_forms;
  std::function<void(std::size_t to_do, std::size_t known)> simulating;
  std::function<void(const StudyPoint& point, const Answer& answer, std::size_t finished)> simulated;
};

/// Computes the answers of a study that its database does not have yet, and stores each simulation as soon as
/// it ends.
/// @returns how many simulations were interrupted; another run has to do them
/// @throws InputError for input that cannot be used, or a database that another process holds, that cannot
/// grow, or that is of another study
std::size_t run_study(const StudyRun& run, const StudyEvents& events);

}  // namespace finegrain::study
