// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "kernels/recorder/communicator.hpp"
#include "kernels/recorder/mpi.hpp"
#include "kernels/recorder/spare_vector.hpp"

namespace finegrain::recorder {

/// What the recorder remembers of a request of the program until it is completed.
struct Pending {
  /// Which of the rank's requests it is in the trace, counted from 0; none: a request without an operation,
  /// such as a receive from MPI_PROC_NULL.
  static constexpr std::int64_t none = -1;

  std::int64_t number = none;
  std::int64_t second = none;            ///< the send's, if the request is for a send and a receive
  const MPI_Request* address = nullptr;  ///< the program's variable when it was posted
  bool any_source = false;
  bool any_tag = false;
  bool is_receive = false;
  bool is_outside = false;    ///< it is about something outside the run, of which only the time is known
  bool is_cancelled = false;  ///< the program has called MPI_Cancel for it
  bool is_seen = false;       ///< MPI_Request_get_status has told the program that it is complete
  /// A wildcard receive's: its status numbers the source in it. MPI_Comm_idup's: the new communicator.
  CommunicatorPtr communicator = nullptr;
  MPI_Comm created{};  ///< the handle of MPI_Comm_idup's new communicator

  bool has_wildcard() const { return any_source || any_tag; }
};

/// The handles of a call's requests, as they were before it. Empty if nothing is recorded, or the program
/// passes no array or a negative count, which is an error that MPI may return.
SpareVector<MPI_Request> copy_of(int count, const MPI_Request requests[]);
/// The handle of a call's request; what an empty variable holds if the program passes none.
inline MPI_Request copy_of(const MPI_Request* request) {
  return request == nullptr ? MPI_Request{} : *request;
}

/// The program's requests that are not complete. A handle does not identify a request: all eager MPI_Isends
/// of Open MPI return the same handle. So each handle has a queue of requests. A request is found by the
/// address of its variable, the oldest one of it; if the address is not known, the oldest of all is taken.
class Requests {
 public:
  Requests();

  void add(MPI_Request handle, const Pending& pending);
  /// Removes a request. @param taken  set to what it was @returns whether there was one
  bool take(MPI_Request handle, const MPI_Request* address, Pending& taken);
  /// Finds a request without removing it; null if there is no such request.
  Pending* find(MPI_Request handle, const MPI_Request* address);

  /// How many requests need their status seen: wildcard receives, and requests that are being cancelled.
  std::int64_t needing_status = 0;
  bool has_outside() const { return outside_ != 0; }
  /// Whether some of a call's requests are about processes outside the run.
  /// @param addresses  the handles' variables; none if they are not known
  bool has_outside(std::size_t count, const MPI_Request handles[], const MPI_Request addresses[]) {
    if (outside_ == 0) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const Pending* const pending = find(handles[i], addresses == nullptr ? nullptr : &addresses[i]);
      if (pending != nullptr && pending->is_outside) return true;
    }
    return false;
  }

 private:
  static constexpr std::int32_t end = -1;
  /// How many of a queue's requests are looked at one by one.
  static constexpr std::int32_t searched = 64;
  struct Queue {
    MPI_Request handle{};
    bool is_used = false;
    std::int32_t first = end;
    std::int32_t last = end;
    std::int32_t length = 0;
  };
  struct Node {
    Pending pending;
    std::int32_t previous = end;
    std::int32_t next = end;
    std::uint64_t order = 0;  ///< requests in by_address_ have one; others have 0
  };

  Node& node(std::int32_t at) { return nodes_[static_cast<std::size_t>(at)]; }
  Queue& queue_of(MPI_Request handle);
  std::int32_t place_of(const Queue& queue, const MPI_Request* address);
  void rehash();

  std::vector<Queue> queues_;  ///< open addressing; a power of two
  std::size_t used_queues_ = 0;
  std::vector<Node> nodes_;
  std::int32_t free_ = end;
  std::uint64_t added_ = 0;
  std::int64_t outside_ = 0;  ///< requests about processes outside the run
  /// The requests that came to a long queue: handle, address, order, and the node.
  std::set<std::tuple<MPI_Request, const MPI_Request*, std::uint64_t, std::int32_t>> by_address_;
};

}  // namespace finegrain::recorder
