// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/pattern/counts.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/replay/replay.hpp"
#include "sim/replay/side_by_side.hpp"
#include "traces/measurement.hpp"

namespace finegrain::answer {

/// How a run was recorded.
struct Recording {
  std::string trace;  ///< its name
  std::string machine;
  bool oversubscribed = false;  ///< if so, its times enter no error figure
  std::string elsewhere;        ///< why they enter none, if the platform is another machine; else empty
};

/// A run, the machine that it is on, and what is known of it beside a simulation. What it points to outlives
/// its answer.
struct Question {
  /// What runs, where, and how. Its schedule and placement are given. Without a platform, nothing can be
  /// asked but what was measured.
  replay::ReplayJob job;
  bool simulation = true;                             ///< is asked for
  std::optional<model::ClosedForm> closed_form = {};  ///< this form is asked for
  /// For the closed form, shape [ranks]; empty where none are known or needed.
  std::span<const pattern::RankCounts> counts = {};
  const Measurement* measurement = nullptr;  ///< the recorded iterations; null: there are none
  std::optional<double> measured_s = {};     ///< seconds of the whole run, where that was measured
  std::string not_measured = {};             ///< why not, where that is known
  std::optional<Recording> recording = {};   ///< none: it is a run that nobody made
  /// The nodes and the start of `job`, where it shares the machine with others; null: it is alone.
  const replay::SharedJob* shared = nullptr;
};

/// measured | simulated | closed form of one question.
struct Answer {
  Question question;
  std::optional<replay::ReplayResult> simulated;  ///< none: nobody asked
  /// None where nobody asked, where there are no equations, or where they need counts that are not known.
  std::optional<model::Prediction> closed_form;
  std::optional<replay::SharedJobTimes> beside_others = {};  ///< only of a job that shares the machine

  const Run& run() const { return question.job.schedule->run; }
  /// 1 for a recorded program: all that it did.
  double iterations() const;
};

/// Answers in the order of the questions. All closed forms come before the first simulation, so that an error
/// about a missing number comes at once.
/// @param processes  simulations at the same time
/// @param finished  if given, is called with the number of finished simulations each time one ends
/// @throws InputError as policy::predict() and replay::replay() do
std::vector<Answer> evaluate(const std::vector<Question>& questions, int processes,
                             const replay::ReplayOptions& options,
                             const std::function<void(std::size_t)>& finished = {});

/// The answer to one question. @param replay  simulates a job, and is called only if that is asked for
/// @throws InputError as policy::predict() and `replay` do
Answer evaluate(const Question& question,
                const std::function<replay::ReplayResult(const replay::ReplayJob&)>& replay);

/// The same in this process, which must replay nothing else: SimGrid starts only once.
Answer evaluate_here(const Question& question, const replay::ReplayOptions& options);

/// Jobs that run on one machine at the same time: what each takes alone, and beside the others. For the
/// parameters see replay::replay_side_by_side().
/// @returns shape [jobs] @throws InputError as replay::replay_side_by_side() does
std::vector<Answer> evaluate_side_by_side(std::span<const replay::SharedJob> jobs, int processes,
                                          const replay::ReplayOptions& options,
                                          const std::function<void(std::size_t)>& finished = {},
                                          const replay::Noise* noise = nullptr, std::uint64_t noise_seed = 0);

/// Which jobs keep the tasks of their recordings, for notes: "jobs 1, 2: ..."; empty if there are none.
std::string describe_kept_tasks(std::span<const Answer> jobs);

}  // namespace finegrain::answer
