// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "sim/calibration/calibration.hpp"

namespace finegrain {

/// Messages of exactly latency_s + size / bandwidth_bytes_per_s; of three latencies if they are longer than
/// the eager limit.
inline calibration::Messages exact_messages(double latency_s, double bandwidth_bytes_per_s,
                                            std::optional<double> eager_limit_bytes = {}) {
  calibration::Messages messages;
  messages.eager_limit_bytes = eager_limit_bytes;
  for (const double size_bytes : {8., 1024., 65536., 1048576.}) {
    const bool waits = eager_limit_bytes && size_bytes > *eager_limit_bytes;
    const double seconds = (waits ? 3 : 1) * latency_s + size_bytes / bandwidth_bytes_per_s;
    messages.times.push_back({size_bytes, {seconds, 0.9 * seconds, 1.1 * seconds, 100}});
  }
  return messages;
}

/// 4 cores that get 10 GB/s each and 24 GB/s together; messages of 1 us and 8 GB/s.
inline calibration::Calibration known_node() {
  calibration::Calibration found;
  found.cpu = "A CPU";
  found.pinning = "0: 0; 1: 1; 2: 2; 3: 3";
  found.date = "2024-01-31T12:00:00Z";
  found.cores = 4;
  found.triad_bytes_per_s = {
      {1, {10e9, 9e9, 11e9, 5}}, {2, {20e9, 18e9, 21e9, 5}}, {4, {24e9, 23e9, 25e9, 5}}};
  found.within_node = exact_messages(1e-6, 8e9);
  return found;
}

/// Three of them; between nodes o_s = 0.5 us, messages of 2.5 us and 5 GB/s, a get of 6 us.
inline calibration::Calibration known_cluster() {
  calibration::Calibration found = known_node();
  found.nodes = 3;
  found.between_nodes = exact_messages(2.5e-6, 5e9, 65'483);
  found.between_nodes->send_overhead_s = {0.5e-6, 0.4e-6, 0.6e-6, 200};
  found.between_nodes->get_s = {6e-6, 5e-6, 7e-6, 5};
  // 256 KiB take 52.4 ms and a round trip of 5 us. A quarter of them had come before; an answer waits for
  // them all.
  const auto exactly = [](double value) { return calibration::Measured{value, value, value, 9}; };
  found.replies = {.bytes = 262'144,
                   .expected_s = exactly(52.4e-3 + 5e-6),
                   .late_s = exactly(0.75 * 52.4e-3 + 5e-6),
                   .answer_s = exactly(5e-6),
                   .answer_beside_data_s = exactly(39e-3),
                   .rest_of_data_s = exactly(39.3e-3),
                   .answers_apart_s = std::nullopt,
                   .answer_beside_others_s = std::nullopt};
  return found;
}

}  // namespace finegrain
