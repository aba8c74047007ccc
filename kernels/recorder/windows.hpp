// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/recorder/communicator.hpp"
#include "kernels/recorder/mpi.hpp"

namespace finegrain::recorder {

class Recording;

/// A window of the program as the trace knows it.
struct Window {
  struct Transfer {
    std::int64_t number;  ///< the request's in the trace
    std::int32_t target;  ///< rank of the run
  };

  std::int32_t number = 0;  ///< in the trace, like a communicator's
  CommunicatorPtr communicator;
  std::vector<Transfer> open;              ///< transfers that no synchronization has completed yet
  std::vector<std::int32_t> origins = {};  ///< the exposure epoch's, as ranks of the run (MPI_Win_post)
  std::vector<std::int32_t> targets = {};  ///< the access epoch's (MPI_Win_start)

  /// Whether what all its ranks do together can be recorded.
  bool is_in_run() const { return communicator->is_in_run(); }
  /// The rank of the run that a target means; -1 for a process outside the run.
  std::int32_t rank_of_run(int target) const { return communicator->rank_of_run(target); }
};

/// The program's windows. What belongs to a window is cached as its attribute, so that both end together.
class Windows {
 public:
  explicit Windows(Recording& recording);

  /// None if it was made by a call that is not recorded.
  Window* of(MPI_Win win) {
    if (cached_ != nullptr && win == cached_handle_) return cached_;
    return look_up(win);
  }
  void made(MPI_Win win, const CommunicatorPtr& communicator);
  /// MPI begins to free a window: functions of the program may use it until that has ended.
  void is_being_freed(MPI_Win win, std::unique_ptr<Window> window);
  /// It has ended, and other windows may get the handle.
  void is_free(MPI_Win win);

 private:
  struct BeingFreed {
    MPI_Win win;
    std::unique_ptr<Window> window;
  };
  Window* look_up(MPI_Win win);

  Recording& recording_;
  int keyval_ = 0;
  MPI_Win cached_handle_{};
  Window* cached_ = nullptr;
  std::vector<BeingFreed> being_freed_;
};

}  // namespace finegrain::recorder
