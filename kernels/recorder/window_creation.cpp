// SPDX-License-Identifier: MIT
// Functions that make and free windows: all ranks of the communicator meet in them.
#include "kernels/recorder/collectives.hpp"

namespace finegrain::recorder {
namespace {

void record_window(const Call& call, int result, MPI_Comm comm, const MPI_Win* win) {
  Record record(call);
  if (!record || result != MPI_SUCCESS) return;
  const CommunicatorPtr& communicator = record.recording().communicators.of(comm);
  if (communicator->is_in_run()) {
    record.collective({.communicator = communicator->number});
  } else {
    record.signature().timed();
  }
  record.recording().windows.made(*win, communicator);
}

}  // namespace

#define RECORD_WINDOW_MAKER(name, parameters, arguments)    \
  int recorded::name(FINEGRAIN_LIST parameters) {           \
    const Call call(Function::name);                        \
    const int result = real.name(FINEGRAIN_LIST arguments); \
    record_window(call, result, comm, win);                 \
    return result;                                          \
  }

RECORD_WINDOW_MAKER(MPI_Win_create,
                    (void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win),
                    (base, size, unit, info, comm, win))
RECORD_WINDOW_MAKER(MPI_Win_allocate,
                    (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win),
                    (size, unit, info, comm, base, win))
RECORD_WINDOW_MAKER(MPI_Win_allocate_shared,
                    (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win),
                    (size, unit, info, comm, base, win))
RECORD_WINDOW_MAKER(MPI_Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win), (info, comm, win))

int recorded::MPI_Win_free(MPI_Win* win) {
  const Call call(Function::MPI_Win_free);
  std::int32_t number = -1;  // none where not all its ranks are of the run
  const MPI_Win before = win == nullptr ? MPI_Win{} : *win;
  const bool is_window = win != nullptr && before != MPI_WIN_NULL;
  if (const Access access; access && is_window) {
    const Window* const window = access.recording().windows.of(before);
    if (window != nullptr && window->is_in_run()) number = window->number;
  }
  const int result = real.MPI_Win_free(win);
  if (Record record(call); record && result == MPI_SUCCESS) {
    record.recording().windows.is_free(before);
    if (number >= 0) {
      record.collective({.communicator = number});
    } else {
      record.signature().timed();
    }
  }
  return result;
}

}  // namespace finegrain::recorder
