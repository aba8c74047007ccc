// SPDX-License-Identifier: MIT
#include "sim/report/sensitivity_data.hpp"

#include <nlohmann/json.hpp>
#include <optional>

namespace finegrain::report {

nlohmann::json sensitivity_data(const sensitivity::Sensitivities& found,
                                const sensitivity::Question& question) {
  nlohmann::json data = {{"total_s", found.total_s},
                         {"factors", question.factors},
                         {"most_ranks", question.most_ranks},
                         {"numbers", nlohmann::json::array()}};
  for (const double speedup : question.speedups)
    data["longer"].push_back(1 / speedup - 1);
  for (const sensitivity::Sensitivity& number : found.numbers) {
    nlohmann::json& row = data["numbers"].emplace_back();
    row = {{"name", describe(number.number)},
           {"now", number.number.now},
           {"totals_s", number.totals_s},
           {"elasticity", number.elasticity}};
    for (const std::optional<double>& needed : number.needed)
      row["tolerated"].push_back(needed ? nlohmann::json(1 / *needed) : nlohmann::json());
  }
  return data;
}

}  // namespace finegrain::report
