// SPDX-License-Identifier: MIT
#include "sim/report/sensitivity_data.hpp"

#include <nlohmann/json.hpp>

namespace finegrain::report {

nlohmann::json sensitivity_data(const sensitivity::Sensitivities& found,
                                const sensitivity::Question& question) {
  nlohmann::json data = {{"total_s", found.total_s},
                         {"factors", question.factors},
                         {"most_ranks", question.most_ranks},
                         {"numbers", nlohmann::json::array()}};
  for (const sensitivity::Sensitivity& number : found.numbers)
    data["numbers"].push_back({{"name", describe(number.number)},
                               {"now", number.number.now},
                               {"totals_s", number.totals_s},
                               {"elasticity", number.elasticity}});
  return data;
}

}  // namespace finegrain::report
