// SPDX-License-Identifier: MIT
#include "sim/answer/evaluate.hpp"

#include <fmt/format.h>

#include <utility>

namespace finegrain::answer {
namespace {

/// The answer without its simulation.
Answer closed_form_of(const Question& question) {
  Answer answer{.question = question, .simulated = {}, .closed_form = {}};
  if (question.closed_form)
    answer.closed_form = policy::predict(answer.run(), question.counts, question.job.platform->costs,
                                         *question.closed_form, question.job.placement);
  return answer;
}

}  // namespace

double Answer::iterations() const {
  return static_cast<double>(run().iterations);
}

std::vector<Answer> evaluate(const std::vector<Question>& questions, int processes,
                             const replay::ReplayOptions& options,
                             const std::function<void(std::size_t)>& finished) {
  std::vector<Answer> answers;
  std::vector<replay::ReplayJob> jobs;
  for (const Question& question : questions) {
    answers.push_back(closed_form_of(question));
    if (question.simulation) jobs.push_back(question.job);
  }
  std::vector<replay::ReplayResult> results = replay::replay_all(jobs, processes, options, finished);
  auto result = results.begin();
  for (Answer& answer : answers)
    if (answer.question.simulation) answer.simulated = std::move(*result++);
  return answers;
}

Answer evaluate(const Question& question,
                const std::function<replay::ReplayResult(const replay::ReplayJob&)>& replay) {
  Answer answer = closed_form_of(question);
  if (question.simulation) answer.simulated = replay(question.job);
  return answer;
}

Answer evaluate_here(const Question& question, const replay::ReplayOptions& options) {
  return evaluate(question, [&](const replay::ReplayJob& job) { return replay_here(job, options); });
}

std::vector<Answer> evaluate_side_by_side(std::span<const replay::SharedJob> jobs, int processes,
                                          const replay::ReplayOptions& options,
                                          const std::function<void(std::size_t)>& finished,
                                          const replay::Noise* noise, std::uint64_t noise_seed) {
  const std::vector<replay::SharedJobTimes> times =
      replay_side_by_side(jobs, processes, options, finished, noise, noise_seed);
  std::vector<Answer> answers;
  for (std::size_t j = 0; j < jobs.size(); ++j)
    answers.push_back({.question = {.job = jobs[j].job, .shared = &jobs[j]},
                       .simulated = {},
                       .closed_form = {},
                       .beside_others = times[j]});
  return answers;
}

std::string describe_kept_tasks(std::span<const Answer> jobs) {
  std::string kept;
  std::size_t count = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j)
    if (jobs[j].beside_others && jobs[j].beside_others->keeps_tasks)
      kept += fmt::format("{}{}", count++ == 0 ? "" : ", ", j + 1);
  if (count == 0) return "";
  return fmt::format(
      "{} {}: the master takes results in the recorded order, alone and together, because several jobs "
      "receive from any source",
      count == 1 ? "job" : "jobs", kept);
}

}  // namespace finegrain::answer
