// SPDX-License-Identifier: MIT
#include "sim/calibration/fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain::calibration {

bool Replies::wait_behind_data() const {
  return answer_beside_data_s.median - answer_s.median > (rest_of_data_s.median - answer_s.median) / 2;
}

std::optional<bool> Replies::links_in_order() const {
  if (!answer_beside_others_s) return std::nullopt;
  // If links serve in order, more than half of a long message waits before the link when the request comes.
  const double data_s = expected_s.median - answer_s.median;
  return answer_beside_others_s->median - answer_s.median > data_s / 4;
}

double Replies::request_bytes() const {
  // Both times include a round trip besides the data: one to start it, the other to permit the sending.
  const double data_s = expected_s.median - answer_s.median;
  const double rest_s = late_s.median - answer_s.median;
  const double share = data_s > 0 ? std::clamp(1 - rest_s / data_s, 0.0, 1.0) : 0;
  return share < 1. / 8 ? 0 : share * bytes;
}

std::optional<double> Replies::connection_lead_bytes() const {
  if (!answers_apart_s) return std::nullopt;
  const double data_s = expected_s.median - answer_s.median;
  if (answers_apart_s->median < answer_s.median / 2 || data_s <= 0) return 0;
  return std::min(answers_apart_s->median / data_s, 1.) * bytes;
}
namespace {

FitQuality message_quality(const micro::LineFit& fit, const char* what) {
  return {what, fit.worst_deviation, fmt::format("at {} B", fit.worst_x)};
}

/// As keeps_order() of sim/replay: the replay follows no factors there.
bool keeps_order(const std::optional<Replies>& replies) {
  return replies &&
         (replies->wait_behind_data() || replies->request_bytes() > 0 ||
          replies->links_in_order().value_or(false) || replies->connection_lead_bytes().value_or(0) > 0);
}

void find_worst_deviation(NetworkFit& fit, const Messages& messages) {
  fit.line.worst_deviation = 0;
  for (const auto& [size_bytes, half_round_trip_s] : messages.times) {
    const double deviation = fitted_s(fit, messages, size_bytes) / half_round_trip_s.median - 1;
    if (std::abs(deviation) < std::abs(fit.line.worst_deviation)) continue;
    fit.line.worst_deviation = deviation;
    fit.line.worst_x = size_bytes;
  }
}

FitQuality memory_quality(const Calibration& found) {
  FitQuality worst{"memory bandwidth by ranks", 0, ""};
  for (const auto& [ranks, bandwidth] : found.triad_bytes_per_s) {
    const double deviation = modelled_bandwidth_bytes_per_s(found, ranks) / bandwidth.median - 1;
    if (std::abs(deviation) < std::abs(worst.worst_deviation)) continue;
    worst.worst_deviation = deviation;
    worst.where = fmt::format("with {} rank{}", ranks, ranks == 1 ? "" : "s");
  }
  return worst;
}

/// @param needs_bandwidth  within a node, memory says how long bytes take
void refuse_senseless(const Messages& messages, const char* what, bool needs_bandwidth) {
  const micro::LineFit fit = fit_messages(messages);
  if (fit.intercept > 0 && (fit.slope > 0 || !needs_bandwidth)) return;
  throw InputError(fmt::format("fit of {}", what),
                   fit.intercept > 0
                       ? "the times do not grow with the size, so they say no bandwidth"
                       : fmt::format("latency {:.3g} us (cannot be negative)", fit.intercept * 1e6),
                   "Let nothing else run, and calibrate again");
}

}  // namespace

micro::LineFit fit_messages(const Messages& messages) {
  std::vector<micro::FitPoint> points;
  for (const auto& [size_bytes, half_round_trip_s] : messages.times)
    points.push_back({size_bytes, half_round_trip_s.median, latencies(messages, size_bytes)});
  const micro::LineFit fit = fit_line(points);
  // Within a node, three latencies may be more than the handshake of a long message takes: then its bytes
  // seem to take less than no time.
  return fit.slope < 0 ? fit_level_line(points) : fit;
}

double latencies(const Messages& messages, double size_bytes) {
  return messages.eager_limit_bytes && size_bytes > *messages.eager_limit_bytes ? 3 : 1;
}

NetworkFit fit_network(const Calibration& found) {
  const Messages& messages = *found.between_nodes;
  NetworkFit fit{.line = fit_messages(messages)};
  const double smallest_s = messages.times.front().half_round_trip_s.median;
  const double overhead_s = messages.send_overhead_s.median;
  if (keeps_order(found.replies) || overhead_s >= smallest_s) return fit;
  // A longer message than the eager limit asks first, there and back.
  const double latency_s = smallest_s - overhead_s;
  std::vector<platform::TimedSize> times;
  for (const auto& [size_bytes, half_round_trip_s] : messages.times) {
    const double handshake_s = (latencies(messages, size_bytes) - 1) * latency_s;
    times.push_back({size_bytes, half_round_trip_s.median - handshake_s});
    if (times.back().seconds <= 0) return fit;
  }
  std::vector<platform::LinePiece> pieces = platform::fit_pieces(times, overhead_s);
  if (pieces.size() == 1 || pieces.back().s_per_byte <= 0) return fit;
  fit.pieces = std::move(pieces);
  fit.handshake_s = 2 * latency_s;
  fit.line.intercept = smallest_s;
  fit.line.slope = fit.pieces.back().s_per_byte;
  fit.factors = platform::factors_of(fit.pieces, overhead_s, latency_s, 1 / fit.line.slope);
  find_worst_deviation(fit, messages);
  return fit;
}

double fitted_s(const NetworkFit& fit, const Messages& messages, double size_bytes) {
  const double latencies = calibration::latencies(messages, size_bytes);
  if (fit.pieces.empty()) return fit.line.at(size_bytes, latencies);
  return platform::seconds_of(fit.pieces, size_bytes) + (latencies > 1 ? fit.handshake_s : 0);
}

double modelled_bandwidth_bytes_per_s(const Calibration& found, int ranks) {
  return std::min(ranks * found.triad_bytes_per_s.front().value.median,
                  found.triad_bytes_per_s.back().value.median);
}

std::vector<FitQuality> qualities(const Calibration& found) {
  std::vector<FitQuality> all = {memory_quality(found),
                                 message_quality(fit_messages(found.within_node), "messages within a node")};
  if (found.between_nodes) all.push_back(message_quality(fit_network(found).line, "messages between nodes"));
  return all;
}

void refuse_bad_fits(const Calibration& found, double worst_allowed) {
  refuse_senseless(found.within_node, "messages within a node", false);
  if (found.between_nodes) refuse_senseless(*found.between_nodes, "messages between nodes", true);
  for (const auto& [what, worst_deviation, where] : qualities(found)) {
    if (std::abs(worst_deviation) <= worst_allowed) continue;
    throw InputError(
        fmt::format("fit of {}", what),
        fmt::format("{:+.0f} % {} (allowed: {:.0f} %)", 100 * worst_deviation, where, 100 * worst_allowed),
        fmt::format("Let nothing else run, and calibrate again; if this is how the machine is, allow "
                    "{:.0f} %",
                    std::ceil(100 * std::abs(worst_deviation))));
  }
}

}  // namespace finegrain::calibration
