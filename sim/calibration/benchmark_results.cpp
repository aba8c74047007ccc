// SPDX-License-Identifier: MIT
#include "sim/calibration/benchmark_results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "traces/io/input_error.hpp"

namespace finegrain::calibration {
namespace {

using nlohmann::json;

/// Reads a quantity as kernels/micro/statistics.hpp writes it.
Measured measured(const json& spread) {
  return {spread.at("median"), spread.at("p10"), spread.at("p90"), spread.at("samples")};
}

/// The results of the only pair of ranks: finegrain calibrate starts two ranks.
const json& only_pair(const json& printed) {
  return printed.at("pairs").at(0);
}

}  // namespace

nlohmann::json result_in(const std::string& output) {
  const std::string lines = '\n' + output + '\n';
  const std::size_t begin = lines.find("\n{\n");
  const std::size_t end = lines.rfind("\n}\n");
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return json(json::value_t::discarded);
  return json::parse(lines.substr(begin, end + 3 - begin), nullptr, false);
}

void check_placement(const nlohmann::json& printed, Nodes asked_for) {
  const std::string program = printed.at("program");
  const std::size_t ranks = printed.at("hosts").size();
  const std::set<std::string> hosts = printed.at("hosts");
  if (asked_for == Nodes::one_a_rank && hosts.size() < ranks) {
    throw InputError(
        program,
        fmt::format("its {} ranks ran on {} (each must have a node of its own)", ranks,
                    fmt::join(hosts, ", ")),
        "Give a host file, or run in an allocation of several nodes, with a UPC++ whose network is not smp");
  }
  const bool shares_memory = printed.value("ranks_of_first_node", ranks) == ranks;
  if (asked_for == Nodes::one && (hosts.size() > 1 || !shares_memory)) {
    throw InputError(
        program,
        fmt::format(
            "its {} ranks did not share the memory of one node, but ran on {} (one node is measured here)",
            ranks, fmt::join(hosts, ", ")),
        "Unset what places them elsewhere, e.g. PGAS_RANKS_PER_NODE");
  }
}

void take_stream(const json& printed, Calibration& found) {
  found.cpu = printed.at("cpu");
  found.pinning = printed.at("pinning");
  found.oversubscribed = printed.at("oversubscribed");
  for (const json& team : printed.at("by_ranks"))
    found.triad_bytes_per_s.push_back({team.at("ranks"), measured(team.at("triad_bytes_per_s"))});
}

void take_barrier(const json& printed, Calibration& found) {
  for (const json& team : printed.at("by_ranks"))
    found.barrier_s.push_back({team.at("ranks"), measured(team.at("barrier_s"))});
}

void take_accesses(const json& printed, const std::string& test, Calibration& found) {
  for (const json& pattern : printed.at("patterns"))
    found.accesses.push_back({test, pattern.at("pattern"), measured(pattern.at("seconds_per_access"))});
}

void take_pingpong(const json& printed, Messages& found) {
  for (const json& size : only_pair(printed).at("by_size"))
    found.times.push_back({size.at("bytes"), measured(size.at("half_round_trip_s"))});
  const auto limit = only_pair(printed).find("eager_limit_bytes");
  if (limit == only_pair(printed).end()) return;
  found.eager_limit_bytes = limit->get<double>();
  if (const auto send = only_pair(printed).find("longest_eager_send"); send != only_pair(printed).end())
    found.eager_send = {measured(send->at("returned_s")), measured(send->at("answered_s"))};
  if (const auto sends = only_pair(printed).find("longer_sends"); sends != only_pair(printed).end())
    for (const json& send : *sends)
      found.longer_sends[send.at("bytes")] = {measured(send.at("returned_s")),
                                              measured(send.at("answered_s"))};
}

void take_loggp(const json& printed, Messages& found) {
  const json& loggp = only_pair(printed).at("loggp");
  found.send_overhead_s = measured(loggp.at("o_s_s"));
  found.receive_overhead_s = measured(loggp.at("o_r_s"));
  found.latency_s = loggp.at("L_s");
  found.gap_s = loggp.at("g_s");
  found.gap_s_per_byte = loggp.at("G_s_per_byte");
}

void take_replies(const json& printed, Calibration& found) {
  found.replies = {printed.at("bytes"),
                   measured(printed.at("expected_s")),
                   measured(printed.at("late_s")),
                   measured(printed.at("answer_s")),
                   measured(printed.at("answer_beside_data_s")),
                   measured(printed.at("rest_of_data_s")),
                   std::nullopt,
                   std::nullopt};
  if (const auto apart = printed.find("answers_apart_s"); apart != printed.end())
    found.replies->answers_apart_s = measured(*apart);
  if (const auto others = printed.find("answer_beside_others_s"); others != printed.end())
    found.replies->answer_beside_others_s = measured(*others);
}

void take_random_get(const json& printed, Messages& found) {
  found.get_s = measured(printed.at("seconds_per_access"));
}

}  // namespace finegrain::calibration
