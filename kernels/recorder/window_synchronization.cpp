// SPDX-License-Identifier: MIT
// Fences, locks, flushes, and epochs that start with MPI_Win_post and MPI_Win_start. A rank that posts an
// epoch tells each origin so by an empty message, and an origin that completes one tells each target. Waiting
// for a process outside the run is known by its time alone.
#include <algorithm>

#include "kernels/recorder/call.hpp"

namespace finegrain::recorder {
namespace {

constexpr std::int32_t posted_tag = -1;
constexpr std::int32_t completed_tag = -2;
constexpr std::int32_t outside = -1;  ///< stands for a process outside the run
constexpr std::int32_t all_targets = -2;

/// Completes the transfers that are open, to one rank of the run or to all.
void complete_transfers(Record& record, Window& window, std::int32_t target) {
  std::vector<std::int64_t>& numbers = record.recording().numbers;
  numbers.clear();
  const auto is_meant = [&](const Window::Transfer& transfer) {
    return target == all_targets || transfer.target == target;
  };
  for (const Window::Transfer& transfer : window.open) {
    if (is_meant(transfer)) numbers.push_back(transfer.number);
  }
  window.open.erase(std::remove_if(window.open.begin(), window.open.end(), is_meant), window.open.end());
  record.complete(numbers);
}

void send_empty(Record& record, const Window& window, const std::vector<std::int32_t>& ranks,
                std::int32_t tag) {
  for (const std::int32_t rank : ranks) {
    if (rank == outside) {
      record.signature().timed();
      continue;
    }
    record.post({.kind = TransferKind::send,
                 .blocking = true,
                 .peer = rank,
                 .tag = tag,
                 .communicator = window.number,
                 .size_bytes = 0});
  }
}

void receive_empty(Record& record, const Window& window, const std::vector<std::int32_t>& ranks,
                   std::int32_t tag) {
  std::int64_t messages = 0;
  for (const std::int32_t rank : ranks) {
    if (rank == outside) {
      record.signature().timed();
      continue;
    }
    record.post({.kind = TransferKind::receive,
                 .peer = rank,
                 .tag = tag,
                 .communicator = window.number,
                 .size_bytes = 0});
    ++messages;
  }
  if (messages > 0) record.complete_newest(messages);
}

/// Calls what(Record&, Window&) if the call has succeeded, on a window that is known.
template <class What>
void record_on(const Call& call, int result, MPI_Win win, What what) {
  Record record(call);
  if (!record || result != MPI_SUCCESS) return;
  Window* const window = record.recording().windows.of(win);
  if (window == nullptr) return record.signature().timed();
  what(record, *window);
}

/// The rank of the run that a call's `target` means, or all of them; where some are outside the run, the
/// call's time counts.
std::int32_t target_of_run(Record& record, const Window& window, int target) {
  const std::int32_t rank = target < 0 ? all_targets : window.rank_of_run(target);
  if (rank == outside || (rank == all_targets && !window.is_in_run())) record.signature().timed();
  return rank;
}

void record_flush(const Call& call, int result, MPI_Win win, int target) {
  record_on(call, result, win, [&](Record& record, Window& window) {
    complete_transfers(record, window, target_of_run(record, window, target));
  });
}

void record_lock(const Call& call, int result, MPI_Win win, Lock lock, int target) {
  record_on(call, result, win, [&](Record& record, Window& window) {
    if (target == MPI_PROC_NULL) return;
    const std::int32_t rank = target_of_run(record, window, target);
    if (rank == outside) return;
    lock.window = window.number;
    lock.peer = rank == all_targets ? -1 : rank;
    if (!lock.acquire) complete_transfers(record, window, rank);
    record.signature().lock(lock);
  });
}

/// Stands for all ranks as `target` of the functions above; MPI_PROC_NULL is another negative number.
constexpr int every_rank = MPI_PROC_NULL - 100;

}  // namespace

int recorded::MPI_Win_fence(int assertion, MPI_Win win) {
  const Call call(Function::MPI_Win_fence);
  const int result = real.MPI_Win_fence(assertion, win);
  record_on(call, result, win, [](Record& record, Window& window) {
    complete_transfers(record, window, all_targets);
    if (!window.is_in_run()) return record.signature().timed();
    record.collective({.communicator = window.number});
  });
  return result;
}

int recorded::MPI_Win_lock(int type, int target, int assertion, MPI_Win win) {
  const Call call(Function::MPI_Win_lock);
  const int result = real.MPI_Win_lock(type, target, assertion, win);
  record_lock(call, result, win, {.exclusive = type == MPI_LOCK_EXCLUSIVE}, target);
  return result;
}

int recorded::MPI_Win_unlock(int target, MPI_Win win) {
  const Call call(Function::MPI_Win_unlock);
  const int result = real.MPI_Win_unlock(target, win);
  record_lock(call, result, win, {.acquire = false}, target);
  return result;
}

int recorded::MPI_Win_lock_all(int assertion, MPI_Win win) {
  const Call call(Function::MPI_Win_lock_all);
  const int result = real.MPI_Win_lock_all(assertion, win);
  record_lock(call, result, win, {}, every_rank);
  return result;
}

int recorded::MPI_Win_unlock_all(MPI_Win win) {
  const Call call(Function::MPI_Win_unlock_all);
  const int result = real.MPI_Win_unlock_all(win);
  record_lock(call, result, win, {.acquire = false}, every_rank);
  return result;
}

#define RECORD_FLUSH(name)                      \
  int recorded::name(int target, MPI_Win win) { \
    const Call call(Function::name);            \
    const int result = real.name(target, win);  \
    record_flush(call, result, win, target);    \
    return result;                              \
  }
#define RECORD_FLUSH_ALL(name)                   \
  int recorded::name(MPI_Win win) {              \
    const Call call(Function::name);             \
    const int result = real.name(win);           \
    record_flush(call, result, win, every_rank); \
    return result;                               \
  }

RECORD_FLUSH(MPI_Win_flush)
RECORD_FLUSH(MPI_Win_flush_local)
RECORD_FLUSH_ALL(MPI_Win_flush_all)
RECORD_FLUSH_ALL(MPI_Win_flush_local_all)

int recorded::MPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  const Call call(Function::MPI_Win_post);
  const int result = real.MPI_Win_post(group, assertion, win);
  record_on(call, result, win, [&](Record& record, Window& window) {
    window.origins = record.recording().communicators.ranks_of_run(group);
    send_empty(record, window, window.origins, posted_tag);
  });
  return result;
}

int recorded::MPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  const Call call(Function::MPI_Win_start);
  const int result = real.MPI_Win_start(group, assertion, win);
  record_on(call, result, win, [&](Record& record, Window& window) {
    window.targets = record.recording().communicators.ranks_of_run(group);
    receive_empty(record, window, window.targets, posted_tag);
  });
  return result;
}

int recorded::MPI_Win_complete(MPI_Win win) {
  const Call call(Function::MPI_Win_complete);
  const int result = real.MPI_Win_complete(win);
  record_on(call, result, win, [](Record& record, Window& window) {
    complete_transfers(record, window, all_targets);
    send_empty(record, window, window.targets, completed_tag);
  });
  return result;
}

int recorded::MPI_Win_wait(MPI_Win win) {
  const Call call(Function::MPI_Win_wait);
  const int result = real.MPI_Win_wait(win);
  record_on(call, result, win, [](Record& record, Window& window) {
    receive_empty(record, window, window.origins, completed_tag);
  });
  return result;
}

int recorded::MPI_Win_test(MPI_Win win, int* is_done) {
  const Call call(Function::MPI_Win_test);
  const int result = real.MPI_Win_test(win, is_done);
  if (result == MPI_SUCCESS && *is_done == 0) {
    record_poll(call, [win](Recording& recording) {
      const Window* const window = recording.windows.of(win);
      return window == nullptr || std::ranges::find(window->origins, outside) != window->origins.end();
    });
    return result;
  }
  record_on(call, result, win, [](Record& record, Window& window) {
    receive_empty(record, window, window.origins, completed_tag);
  });
  return result;
}

}  // namespace finegrain::recorder
