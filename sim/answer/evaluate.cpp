// SPDX-License-Identifier: MIT
#include "sim/answer/evaluate.hpp"

#include <utility>

namespace finegrain::answer {

double Answer::iterations() const {
  return static_cast<double>(run().iterations);
}

std::vector<Answer> evaluate(const std::vector<Question>& questions, int processes,
                             const replay::ReplayOptions& options,
                             const std::function<void(std::size_t)>& finished) {
  std::vector<Answer> answers;
  std::vector<replay::ReplayJob> jobs;
  for (const Question& question : questions) {
    Answer& answer = answers.emplace_back(Answer{question, {}, {}});
    if (question.closed_form)
      answer.closed_form = policy::predict(answer.run(), question.counts, question.job.platform->costs,
                                           *question.closed_form, question.job.placement);
    if (question.simulation) jobs.push_back(question.job);
  }
  std::vector<replay::ReplayResult> results = replay::replay_all(jobs, processes, options, finished);
  auto result = results.begin();
  for (Answer& answer : answers)
    if (answer.question.simulation) answer.simulated = std::move(*result++);
  return answers;
}

}  // namespace finegrain::answer
