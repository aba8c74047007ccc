// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/pattern/counts.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/replay/replay.hpp"
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
};

/// measured | simulated | closed form of one question.
struct Answer {
  Question question;
  std::optional<replay::ReplayResult> simulated;  ///< none: nobody asked
  /// None where nobody asked, where there are no equations, or where they need counts that are not known.
  std::optional<model::Prediction> closed_form;

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

}  // namespace finegrain::answer
