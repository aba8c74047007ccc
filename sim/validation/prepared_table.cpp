// SPDX-License-Identifier: MIT
#include "sim/validation/prepared_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <cmath>
#include <utility>

#include "sim/model/published.hpp"
#include "sim/pattern/spmv_pattern.hpp"

namespace finegrain::validation {
namespace {

/// How far the closed form on the stand-in is from the paper's own predictions.
std::string distance_note(const PublishedExperiments& table, const Cases& cases) {
  double sum = 0;
  double least = INFINITY;
  double most = 0;
  for (const Experiment& experiment : table.experiments) {
    const double ratio =
        cases.closed_form_s(cases.place_of(experiment.run), experiment.part).value() / *experiment.printed_s;
    sum += std::pow(std::log(ratio), 2);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  return fmt::format(
      "Our closed form on the stand-in / the paper's prediction: {:.2f} to {:.2f}, rms of ln {:.2f}. "
      "Simulated values are the paper's prediction x simulated / our closed form.",
      least, most, std::sqrt(sum / static_cast<double>(table.experiments.size())));
}

}  // namespace

std::vector<PreparedTable> prepare_heat() {
  std::vector<PreparedTable> prepared;
  for (PublishedExperiments table : {heat_table_5(), heat_table_iv()}) {
    const Run& run = table.experiments.front().run;
    Cases cases(table, model::published_abel(),
                *pattern::pattern_kind(run).open_recorded(run, "", table.name));
    prepared.push_back({std::move(table), std::move(cases), Reading::as_simulated});
  }
  return prepared;
}

PreparedTable prepare_table_4(const problem::EllpackView& matrix, problem::RowOrder order) {
  PublishedExperiments table = spmv_table_4();
  Cases cases(table, model::published_abel(), *pattern::spmv_of(matrix));
  table.name += ", " + boost::to_upper_copy(std::string(to_string(order)));
  table.notes.emplace_back(
      "The mesh is a stand-in: an idealized left ventricle of 6,810,586 tetrahedra; the paper's is not "
      "public. SBD and GND were selected afterwards, by the paper's 21 predictions, among 22 orderings.");
  table.notes.push_back(distance_note(table, cases));
  return {std::move(table), std::move(cases), Reading::relative_to_closed_form};
}

PreparedTable prepare_spmv(PublishedExperiments table, const platform::PlatformCosts& closed_form_costs,
                           const problem::EllpackView& matrix) {
  Cases cases(table, closed_form_costs, *pattern::spmv_of(matrix));
  table.notes.emplace_back("The mesh is a stand-in, in the order SBD.");
  return {std::move(table), std::move(cases), Reading::as_simulated};
}

}  // namespace finegrain::validation
