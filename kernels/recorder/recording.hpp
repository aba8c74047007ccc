// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "functions.hpp"
#include "kernels/recorder/call_sites.hpp"
#include "kernels/recorder/communicator.hpp"
#include "kernels/recorder/gate.hpp"
#include "kernels/recorder/message.hpp"
#include "kernels/recorder/requests.hpp"
#include "kernels/recorder/windows.hpp"
#include "traces/call_recorder.hpp"
#include "traces/call_signature.hpp"

namespace finegrain::recorder {

/// Nanoseconds on this rank's clock, which never goes back.
inline std::int64_t clock_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// CPU time of the calling thread, or of all threads of the process.
inline std::int64_t cpu_time_ns(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec used{};
  ::clock_gettime(clock, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

inline std::int64_t cpu_time_of_others_ns() {
  return cpu_time_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_time_ns();
}

/// Successive calls that found nothing.
struct Polls {
  struct Count {
    Function function;
    std::optional<std::uint32_t> place;
    std::uint64_t calls;
  };
  std::vector<Count> counts;  ///< one for each function and place; the first call's comes first
  std::uint32_t thread = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t lost_ns = 0;  ///< Call::lost_ns() of the first
  bool are_outside = false;  ///< they wait for processes outside the run, so that their time counts
};

/// The message that a thread's last successful probe with a wildcard found, until a receive takes it.
struct Found {
  std::uint32_t thread;
  MPI_Comm comm;
  bool any_source;
  bool any_tag;
  int source;
  int tag;
};

/// What this rank records, from MPI_Init to MPI_Finalize, or within sessions.
class Recording {
 public:
  /// @throws InputError if the rank's file cannot be created
  /// @param handle_of_world  by which the program names the communicator of all ranks, if it does
  /// @param partial  some ranks have no recorder
  Recording(std::filesystem::path folder, MPI_Comm world, MPI_Comm handle_of_world, bool has_threads,
            bool partial);

  std::uint32_t number_of(Function function) {
    std::uint32_t& number = numbers_[static_cast<std::size_t>(function)];
    if (number == unnumbered)
      number = recorder.define_function(function_names[static_cast<std::size_t>(function)]);
    return number;
  }
  /// Adds to the run of calls that found nothing, or begins a new one. Computing between two of them ends a
  /// run, so that its time is not taken for waiting; sleeping does not, nor do calls of other functions that
  /// found nothing.
  /// @param stopped_ns  how long the thread did not run before it, or was in sched_yield
  /// @param is_outside  it waits for a process outside the run
  void add_poll(Function function, std::uint32_t thread, std::int64_t start_ns, std::int64_t end_ns,
                std::int64_t lost_ns, std::int64_t stopped_ns, bool is_outside) {
    // To stop and to go on takes the kernel's own time, and caches are cold then. So little of it hardly adds
    // to the error of a replay.
    const std::int64_t longest_gap_ns = stopped_ns == 0 ? 2'000 : 10'000 + stopped_ns / 50;
    // Time passes between these as well until another process answers, whatever the rank does meanwhile.
    constexpr std::int64_t longest_gap_outside_ns = 1'000'000;
    const bool is_another = polls.thread != thread || polls.are_outside != is_outside;
    const std::int64_t gap_ns = start_ns - polls.end_ns - stopped_ns;
    const bool has_gap = gap_ns > (is_outside ? longest_gap_outside_ns : longest_gap_ns);
    if (!polls.counts.empty() && (is_another || has_gap)) write_polls();
    if (polls.counts.empty()) {
      polls.are_outside = is_outside;
      polls.thread = thread;
      polls.start_ns = start_ns;
      polls.lost_ns = lost_ns;
    }
    const std::optional<std::uint32_t> place = call_sites.of_open_call(thread);
    const auto known = std::ranges::find_if(polls.counts, [&](const Polls::Count& count) {
      return count.function == function && count.place == place;
    });
    if (known == polls.counts.end()) {
      polls.counts.push_back({function, place, 1});
    } else {
      ++known->calls;
    }
    polls.end_ns = end_ns;
  }
  void write_polls();
  /// CPU time since the beginning of threads other than the main one, before their first or after their last
  /// call, or of those that made none. 0 as long as the main thread alone has called MPI: its time counts
  /// then, with all that others do meanwhile. @pre this is the main thread
  std::int64_t uncounted_cpu_time_ns() const;
  /// Records that a thread other than the main one begins or ends, so that its CPU time before its first call
  /// and after its last one counts as work.
  /// @param lost_ns  the part of the time since its last call in which it did not run
  void add_moment_of_thread(std::string_view name, std::uint32_t thread, std::int64_t at_ns,
                            std::int64_t lost_ns);

  const std::filesystem::path folder;
  const MPI_Comm world;  ///< all ranks: the recorder's own, in which no message of the program is; of a
                         ///< partial recording, the program's, on which the recorder calls nothing collective
  const MPI_Comm handle_of_world;
  const bool is_partial;
  const int rank;
  const int ranks;
  const bool has_threads;               ///< several threads may call MPI at once
  const bool may_have_several_callers;  ///< several threads may call MPI, at once or one after the other
  const bool is_locked;                 ///< by the mutex while a thread records; else by the gate
  const std::int64_t began_ns = clock_ns();
  const std::int64_t cpu_time_of_others_at_start_ns = cpu_time_of_others_ns();
  std::atomic<std::int64_t> counted_cpu_time_ns = 0;  ///< of threads that have called MPI, and ended
  std::atomic<std::int64_t> slept_between_tests_ns = 0;
  std::atomic<std::int64_t> slept_for_workers_ns = 0;
  std::mutex mutex;
  Gate gate;
  CallRecorder recorder;
  CallSites call_sites;
  CallSignature signature;
  Communicators communicators;
  Windows windows;
  Requests requests;
  std::int64_t requests_made = 0;  ///< in the trace
  std::unordered_map<MPI_Request, Persistent> persistent;
  std::unordered_map<MPI_Message, std::int64_t> matched;  ///< the receive's request in the trace
  std::vector<Found> found;                               ///< one a thread at most
  Polls polls;
  std::unordered_map<std::string, std::uint32_t> names;  ///< those that calls have of their own, as numbers
  std::vector<std::int64_t> numbers;                     ///< requests that a call completes
  std::vector<std::int64_t> sizes;                       ///< a collective's

 private:
  static constexpr std::uint32_t unnumbered = ~std::uint32_t{0};
  std::vector<std::uint32_t> numbers_;
};

/// None before MPI_Init or the first session's communicator, after MPI_Finalize or the last session, and
/// where nothing is recorded.
extern std::atomic<Recording*> current_recording;

/// A thread's access to what is recorded, while no other thread has it. False if nothing is recorded, and if
/// the thread has it already: then the recorder itself has called the MPI library, and that the program.
class Access {
 public:
  Access();
  ~Access();
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

  explicit operator bool() const { return recording_ != nullptr; }
  Recording& recording() const { return *recording_; }

  /// After a thread has left a call of MPI for good: if that was being recorded, what is in memory may be
  /// half changed, and this rank's recording ends.
  /// @param depth  the call's, from 0
  static void note_left_call(int depth);

 private:
  Recording* recording_;
};

/// Since the manifest was completed: functions of the program that MPI_Finalize calls may still call MPI.
/// Calls that are only counted are recorded one by one then, because nobody adds them up any more.
extern std::atomic<bool> is_finalizing;

/// How often the program has called each function, and left its call without returning from it.
extern std::atomic<std::uint64_t> call_counts[function_count];
extern std::atomic<std::uint64_t> left_counts[function_count];
inline void count_call(Function function) {
  call_counts[static_cast<std::size_t>(function)].fetch_add(1, std::memory_order_relaxed);
}

/// 0 on the thread that called MPI_Init, and a number of its own on each other one.
std::uint32_t thread_number();
/// Whether several threads have a number.
bool have_several_called();

}  // namespace finegrain::recorder
