// SPDX-License-Identifier: MIT
// Entry points of the functions by which a thread pauses. While nothing is recorded they only pass on. What
// they do besides is safe in a signal's handler, and leaves errno alone.
#include "kernels/recorder/pauses.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/select.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <limits>

#include "kernels/recorder/depth.hpp"
#include "kernels/recorder/looked_up.hpp"
#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {

constinit thread_local Pauses pauses = {};

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

/// A function of the C library.
template <class Type>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_(name) {}

  Type get() {
    if (const Type known = function_.load(std::memory_order_relaxed)) return known;
    const int error = errno;
    const auto found = reinterpret_cast<Type>(look_up(RTLD_NEXT, name_));
    errno = error;
    function_.store(found, std::memory_order_relaxed);
    return found;
  }

 private:
  const char* name_;
  std::atomic<Type> function_ = nullptr;
};

constinit Next<int (*)(const timespec*, timespec*)> next_nanosleep("nanosleep");
constinit Next<int (*)(clockid_t, int, const timespec*, timespec*)> next_clock_nanosleep("clock_nanosleep");
constinit Next<int (*)(useconds_t)> next_usleep("usleep");
constinit Next<unsigned (*)(unsigned)> next_sleep("sleep");
constinit Next<int (*)(int, fd_set*, fd_set*, fd_set*, timeval*)> next_select("select");
constinit Next<int (*)()> next_sched_yield("sched_yield");

/// Looked up before the program's first signal, because a look-up is not safe in a handler.
__attribute__((constructor)) void look_up_all() {
  next_nanosleep.get();
  next_clock_nanosleep.get();
  next_usleep.get();
  next_sleep.get();
  next_select.get();
  next_sched_yield.get();
}

/// Whether a recording goes on, and it is the program that pauses, and not MPI, which may yield in its calls.
bool is_recording() {
  return current_recording.load(std::memory_order_relaxed) != nullptr && open_calls.depth == 0;
}

/// @param pause  the C library's function with its arguments
template <class Pause>
auto timed(std::int64_t asked_ns, Pause pause) {
  const std::int64_t start_ns = clock_ns();
  const auto result = pause();
  const std::int64_t elapsed_ns = clock_ns() - start_ns;
  pauses.elapsed_ns += elapsed_ns;
  pauses.asked_ns += std::min(asked_ns, elapsed_ns);
  return result;
}

constexpr std::int64_t unknown_ns = std::numeric_limits<std::int64_t>::max();  ///< no more than elapses

/// @param time  may be none, or have any values
std::int64_t nanoseconds(const timespec* time) {
  if (time == nullptr || time->tv_sec < 0 || time->tv_sec > unknown_ns / second_ns - 1) return unknown_ns;
  return std::int64_t{time->tv_sec} * second_ns + std::clamp<std::int64_t>(time->tv_nsec, 0, second_ns);
}

std::int64_t nanoseconds(const timeval& time) {
  const timespec same{time.tv_sec, time.tv_usec * 1'000};
  return nanoseconds(&same);
}

}  // namespace
}  // namespace finegrain::recorder

using namespace finegrain::recorder;

extern "C" {

__attribute__((visibility("default"))) int nanosleep(const timespec* time, timespec* left) {
  const auto next = next_nanosleep.get();
  if (!is_recording()) return next(time, left);
  return timed(nanoseconds(time), [=] { return next(time, left); });
}

__attribute__((visibility("default"))) int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                                           timespec* left) {
  const auto next = next_clock_nanosleep.get();
  if (!is_recording()) return next(clock, flags, time, left);
  std::int64_t asked_ns = nanoseconds(time);
  if ((flags & TIMER_ABSTIME) != 0 && asked_ns != unknown_ns) {
    timespec now{};
    ::clock_gettime(clock, &now);
    asked_ns = std::max<std::int64_t>(0, asked_ns - nanoseconds(&now));
  }
  return timed(asked_ns, [=] { return next(clock, flags, time, left); });
}

__attribute__((visibility("default"))) int usleep(useconds_t microseconds) {
  const auto next = next_usleep.get();
  if (!is_recording()) return next(microseconds);
  return timed(std::int64_t{microseconds} * 1'000, [=] { return next(microseconds); });
}

__attribute__((visibility("default"))) unsigned sleep(unsigned seconds) {
  const auto next = next_sleep.get();
  if (!is_recording()) return next(seconds);
  return timed(std::int64_t{seconds} * second_ns, [=] { return next(seconds); });
}

__attribute__((visibility("default"))) int select(int count, fd_set* to_read, fd_set* to_write,
                                                  fd_set* exceptions, timeval* most) {
  const auto next = next_select.get();
  if (count != 0 || !is_recording()) return next(count, to_read, to_write, exceptions, most);
  // Before the call, which changes it.
  const std::int64_t asked_ns = most == nullptr ? unknown_ns : nanoseconds(*most);
  return timed(asked_ns, [=] { return next(count, to_read, to_write, exceptions, most); });
}

__attribute__((visibility("default"))) int sched_yield() noexcept {
  const auto next = next_sched_yield.get();
  if (!is_recording()) return next();
  return timed(0, next);
}
}
