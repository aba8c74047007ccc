// SPDX-License-Identifier: MIT
#include "sim/study/closed_forms.hpp"

#include <map>
#include <tuple>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/placement.hpp"
#include "sim/model/numbered_phase.hpp"
#include "sim/model/predict.hpp"
#include "sim/schedule/counts.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

Answer closed_form_of(const Run& run, const std::vector<RankCounts>& counts, const PlatformCosts& costs) {
  Answer answer;
  try {
    const std::optional<Prediction> prediction = predict_run(run, counts, costs);
    if (!prediction) {
      answer.none_because = "there are no equations of this policy";
      return answer;
    }
    const auto iterations = static_cast<double>(run.iterations);
    answer.total_s = iterations * prediction->total_s;
    const std::vector<NumberedPhase> names = numbered(prediction->phases);
    for (std::size_t phase = 0; phase < names.size(); ++phase)
      answer.phases_s.emplace_back(names[phase].name(), iterations * prediction->phases[phase].time_s);
  } catch (const InputError& error) {  // the platform lacks a number that these nodes need
    answer = {.total_s = {}, .phases_s = {}, .none_because = error.what()};
  }
  return answer;
}

/// What the counts depend on: matrix, ranks, BLOCKSIZE and ranks a node.
using Layout = std::tuple<std::size_t, int, std::int64_t, int>;

Layout layout_of(const Point& point) {
  const auto* spmv = std::get_if<SpmvProblem>(&point.run.problem);
  return {point.position(Axis::problem), point.run.ranks, spmv == nullptr ? 0 : spmv->block_size,
          point.run.ranks_per_node};
}

std::vector<RankCounts> counts_of(const Run& run, const StudyInputs& inputs, std::size_t matrix) {
  const auto* spmv = std::get_if<SpmvProblem>(&run.problem);
  if (spmv == nullptr) return {};
  return count_accesses(inputs.matrices[matrix].view(), Distribution(spmv->rows, run.ranks, spmv->block_size),
                        Placement(run.ranks, run.ranks_per_node));
}

}  // namespace

void compute_closed_forms(const std::vector<const Point*>& points, const StudyInputs& inputs,
                          const std::function<void(const std::vector<const Point*>& group,
                                                   const std::vector<Answer>& answers)>& finished) {
  std::map<Layout, std::vector<const Point*>> groups;
  for (const Point* point : points)
    groups[layout_of(*point)].push_back(point);
  for (const auto& [layout, group] : groups) {
    const std::vector<RankCounts> counts = counts_of(group.front()->run, inputs, std::get<0>(layout));
    std::vector<Answer> answers;
    for (const Point* point : group)
      answers.push_back(closed_form_of(point->run, counts, inputs.machines[point->machine].platform.costs));
    finished(group, answers);
  }
}

}  // namespace finegrain
