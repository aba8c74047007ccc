// SPDX-License-Identifier: MIT
#include "kernels/recorder/priority.hpp"

#include <sys/resource.h>

#include <cstdlib>

namespace finegrain::recorder {
namespace {

/// The kernel gives a process of this nice value about a tenth of the time that one of 0 gets on the same
/// core (sched_prio_to_weight in kernel/sched/core.c: 110 and 1,024).
constexpr int patient_nice = 10;

}  // namespace

void lower_priority_if_asked() {
  if (std::getenv("FINEGRAIN_PATIENT") == nullptr) return;
  // Threads that the MPI library starts later have the priority of this one.
  if (::getpriority(PRIO_PROCESS, 0) < patient_nice) ::setpriority(PRIO_PROCESS, 0, patient_nice);
}

}  // namespace finegrain::recorder
