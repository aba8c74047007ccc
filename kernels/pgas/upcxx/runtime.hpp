// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace upcxx {

// The release of the UPC++ specification that this subset follows.
#define UPCXX_SPEC_VERSION 20201000L
#define UPCXX_VERSION UPCXX_SPEC_VERSION

using intrank_t = int;

/// Starts the runtime, and MPI if the program has not started it. Collective. Calls nest: the last finalize()
/// ends it. The size of each rank's shared heap is UPCXX_SHARED_HEAP_SIZE, e.g. 512MB or 2GB (a bare number
/// counts MB; default 128 MB).
void init();
void finalize();
bool initialized();

intrank_t rank_me();
intrank_t rank_n();

enum class progress_level { internal, user };
/// Lets communication advance and, at user level, runs the callbacks that wait for it. A call from within
/// such a callback only lets communication advance.
void progress(progress_level level = progress_level::user);

/// Whether a collective operation begins with a barrier.
enum class entry_barrier { none, internal, user };

namespace detail {

/// Memory of every rank that others can reach: one window over all ranks, and the segments of this node's
/// ranks mapped into this one.
struct Segments {
  MPI_Win window = MPI_WIN_NULL;
  std::vector<std::byte*> bases;  ///< shape [ranks]; null where a rank is on another node
  std::size_t size_bytes = 0;     ///< each rank's
};

const Segments& segments();

/// Returns once one more request may be under way. Calls no callback that waits for a request.
void await_room_for_requests();
/// When the request is complete, progress() calls `completed`.
void when_complete(MPI_Request request, std::function<void()> completed);
/// When all puts to that rank so far have arrived there, and all gets from it have arrived here, progress()
/// calls `completed`.
void when_there(intrank_t rank, std::function<void()> completed);
/// Calls `run` now; or, if such a call is in progress, after it. So chains of continuations do not nest.
void run_soon(std::function<void()> run);
/// progress(), as wait() calls it. Within a callback of progress() nothing can become ready, as in UPC++, and
/// a wait would never end. So the program ends with an error message.
void progress_of_wait();

}  // namespace detail
}  // namespace upcxx
