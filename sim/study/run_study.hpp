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
  bool retry = false;       ///< simulate again what failed
  std::string answered_by;  ///< finegrain and its version
  replay::ReplayOptions replay = {};
  JobsReader jobs = {};  ///< of a study of jobs
};

/// What a study does, told as it happens.
struct StudyEvents {
  /// Its inputs can be used, and its database is there.
  std::function<void()> ready = [] {};
  /// The database was damaged; what the damage names is computed again.
  std::function<void(const Damage& damage)> repaired = [](const Damage&) {};
  /// How many points it has, how many of the shard's cannot run, and how many of them have their closed form
  /// and simulation from an earlier run.
  std::function<void(std::int64_t points, std::int64_t infeasible, std::int64_t closed_forms_known)> opened;
  /// Closed forms to compute, and layouts whose accesses are counted for them, which takes most of the time.
  std::function<void(std::size_t points, std::size_t layouts)> computing;
  std::function<void(std::size_t finished, std::size_t of)> closed_forms;
  std::function<void(std::size_t to_do, std::size_t known)> simulating;
  std::function<void(const StudyPoint& point, const Answer& answer, std::size_t finished)> simulated;
};

/// Runs what its database lacks of a study, and stores each simulation as soon as it is there.
/// @returns how many simulations were interrupted, and are for another run to do
/// @throws InputError for input that cannot be used, a database that is held, full, or of another study
std::size_t run_study(const StudyRun& run, const StudyEvents& events);

}  // namespace finegrain::study
