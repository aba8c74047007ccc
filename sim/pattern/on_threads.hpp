// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace finegrain::pattern {

/// As many threads as there are cores for this process.
inline int all_cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Calls work(thread) once for every thread 0 ... threads - 1, at the same time, and returns when all calls
/// have. The threads end with it: a process that forks afterwards, as replay does, may call this again in the
/// child, where OpenMP would wait for threads that only the parent has.
/// @throws what a thread threw
template <class Work>
void on_threads(int threads, const Work& work) {
  std::vector<std::future<void>> others;  // its destructor waits for the thread
  for (int thread = 1; thread < threads; ++thread)
    others.push_back(std::async(std::launch::async, std::cref(work), thread));
  work(0);
  for (std::future<void>& other : others)
    other.get();
}

}  // namespace finegrain::pattern
