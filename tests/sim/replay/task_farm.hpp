// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "listed_programs.hpp"
#include "small_platform.hpp"

namespace finegrain::replay {

inline constexpr std::int32_t result_tag = 1, task_tag = 2, stop_tag = 3, data_tag = 4;

inline TimedCall sends(int peer, std::int32_t tag, double work_s = 0, std::int64_t bytes = 1) {
  return {Post{.kind = TransferKind::send, .blocking = true, .peer = peer, .tag = tag, .size_bytes = bytes},
          work_s};
}
inline TimedCall takes(int peer, std::int32_t tag, std::int64_t bytes = 1) {
  return {
      Post{.kind = TransferKind::receive, .blocking = true, .peer = peer, .tag = tag, .size_bytes = bytes}};
}
inline TimedCall take_any(int peer, std::int64_t bytes = 1) {
  TimedCall call = takes(peer, result_tag, bytes);
  call.post().any_source = true;
  return call;
}

/// Work of a worker's own, a message about it, and the master's answer.
inline void add_step(Calls& worker, double work_s) {
  worker.push_back(sends(0, result_tag, work_s));
  worker.push_back(takes(0, task_tag));
}
/// The master's part of such a step.
inline void answer_at_once(Calls& master, int worker) {
  master.push_back(take_any(worker));
  master.push_back(sends(worker, task_tag));
}

enum class Data { none, in_a_message };

/// Rank 0 answers its workers in this order: first with the tasks, then with a stop for each. A worker sends
/// its first result after its `first_s`, and the others after its tasks. These may have data in a second
/// message.
inline std::vector<Calls> farm(const std::vector<int>& order, const std::vector<double>& tasks_s,
                               const std::vector<double>& first_s, std::int64_t bytes = 1,
                               Data data = Data::none) {
  std::vector<Calls> ranks(first_s.size() + 1);
  for (std::size_t w = 0; w < first_s.size(); ++w)
    ranks[w + 1].push_back(sends(0, result_tag, first_s[w], bytes));
  for (std::size_t n = 0; n < order.size(); ++n) {
    Calls& worker = ranks[static_cast<std::size_t>(order[n])];
    ranks[0].push_back(take_any(order[n], bytes));
    if (data != Data::none && worker.size() > 1) ranks[0].push_back(takes(order[n], data_tag));
    const bool is_task = n < tasks_s.size();
    ranks[0].push_back(sends(order[n], is_task ? task_tag : stop_tag));
    worker.push_back(takes(0, is_task ? task_tag : stop_tag));
    if (!is_task) continue;
    worker.push_back(sends(0, result_tag, tasks_s[n], bytes));
    if (data != Data::none) worker.push_back(sends(0, data_tag));
  }
  return ranks;
}

inline ReplayResult replayed(const std::vector<Calls>& ranks) {
  SmallPlatform platform(switched(static_cast<int>(ranks.size())));
  return replay_programs(ListedPrograms(ranks), *platform);
}

/// The run of such programs, a rank a node.
inline Schedule run_of(const Programs& programs) {
  Schedule run;
  run.run.ranks = programs.ranks();
  run.run.ranks_per_node = 1;
  return run;
}

/// Messages of a byte, and barriers, take microseconds.
inline constexpr double margin_s = 1e-4;

}  // namespace finegrain::replay
