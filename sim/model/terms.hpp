// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/formula.hpp"
#include "sim/model/hardware.hpp"

namespace finegrain::model {

/// The counts of a term: one for each rank, as a member or a function of what was counted of it.
template <class Ranks, class Count>
std::vector<double> counts_of(const Ranks& ranks, const Count& count) {
  std::vector<double> counts;
  for (const auto& rank : ranks)
    counts.push_back(static_cast<double>(std::invoke(count, rank)));
  return counts;
}

/// The terms of messages between nodes: each takes tau, and its values take their bytes over W_remote.
struct RemoteTerms {
  std::string equation;
  Gathering gathering = Gathering::of_rank;
  std::size_t phase = 0;

  FormulaTerm messages(std::string symbol, std::string counted, std::vector<double> counts) const {
    return {.part = "remote",
            .equation = equation,
            .symbol = std::move(symbol),
            .counted = std::move(counted),
            .cost = Cost::tau,
            .gathering = gathering,
            .phase = phase,
            .counts = std::move(counts)};
  }
  FormulaTerm values(std::string symbol, std::string counted, std::vector<double> counts) const {
    FormulaTerm term = messages(std::move(symbol), std::move(counted), std::move(counts));
    term.each = "sizeof(double)";
    term.bytes_each = sizeof_double;
    term.cost = Cost::remote_bytes;
    return term;
  }
};

}  // namespace finegrain::model
