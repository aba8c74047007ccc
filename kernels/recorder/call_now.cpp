// SPDX-License-Identifier: MIT
#include "kernels/recorder/call_now.hpp"

#include <mutex>

namespace finegrain::recorder {
namespace {

constinit std::mutex list_mutex;
constinit CallNow* first_listed = nullptr;

}  // namespace

constinit thread_local CallNow call_now = {};

void list_call_of_thread() {
  if (std::exchange(call_now.is_listed, true)) return;
  const std::lock_guard lock(list_mutex);
  call_now.next = std::exchange(first_listed, &call_now);
}

void unlist_call_of_thread() {
  if (!std::exchange(call_now.is_listed, false)) return;
  const std::lock_guard lock(list_mutex);
  for (CallNow** at = &first_listed; *at != nullptr; at = &(*at)->next) {
    if (*at != &call_now) continue;
    *at = call_now.next;
    return;
  }
}

std::int64_t counted_cpu_time_of_listed_ns() {
  std::int64_t sum_ns = 0;
  const std::lock_guard lock(list_mutex);
  for (const CallNow* call = first_listed; call != nullptr; call = call->next)
    sum_ns += call->counted_cpu_time_ns.load(std::memory_order_relaxed);
  return sum_ns;
}

OpenSince longest_call() {
  OpenSince longest;
  const std::lock_guard lock(list_mutex);
  for (const CallNow* call = first_listed; call != nullptr; call = call->next) {
    const std::int64_t start_ns = call->start_ns.load(std::memory_order_relaxed);
    if (start_ns != 0 && (longest.start_ns == 0 || start_ns < longest.start_ns))
      longest = {call->function.load(std::memory_order_relaxed), call->caller.load(std::memory_order_relaxed),
                 start_ns};
  }
  return longest;
}

}  // namespace finegrain::recorder
