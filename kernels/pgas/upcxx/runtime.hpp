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

/// Starts the runtime, and MPI if the program has not. Collective. Calls nest: the last finalize() ends it.
/// The size of each rank's shared heap is UPCXX_SHARED_HEAP_SIZE, e.g. 512MB or 2GB (a bare number counts MB;
/// default 128 MB).
void init();
void finalize();
bool initialized();

intrank_t rank_me();
intrank_t rank_n();

enum class progress_level { internal, user };
/// Lets communication advance and, at user level, runs what waits for it; from within such a callback only
/// the former.
void progress(progress_level level = progress_level::user);

/// Whether a collective operation begins with a barrier.
enum class entry_barrier { none, internal, user };

namespace detail {

/// Memory of every rank that others can reach: one window over all ranks, and the segments of this node's
/// ranks mapped into this one.
struct Segments {
  MPI_Win window = MPI_WIN_NULL;
  std::vector<std::byte*> bases;  ///< shape [ranks]; null where a rank is on another node
  std::size_t size_bytes = 0;     ///< of each rank's
};

const Segments& segments();

/// Returns once few enough requests are under way for one more; calls nothing that waits for them.
void await_room_for_requests();
/// When the request is complete, progress() calls `completed`.
void when_complete(MPI_Request request, std::function<void()> completed);
/// When the puts to that rank so far are there, and what is got from it is here, progress() calls
/// `completed`.
void when_there(intrank_t rank, std::function<void()> completed);
/// Calls `run` now, or, called from within such a call, after it: chains of continuations do not nest.
void run_soon(std::function<void()> run);
/// progress(), for a wait. Within a callback of progress() nothing can become ready, as with UPC++: that ends
/// the program with a sentence, since it would wait for ever.
void progress_of_wait();

}  // namespace detail
}  // namespace upcxx
