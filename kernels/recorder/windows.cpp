// SPDX-License-Identifier: MIT
#include "kernels/recorder/windows.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {
namespace {

int copy_no_window(MPI_Win, int, void*, void*, void*, int* is_copied) {
  *is_copied = 0;
  return MPI_SUCCESS;
}

int forget_window(MPI_Win, int, void* value, void* windows) {
  static_cast<Windows*>(windows)->forget_handles();
  delete static_cast<Window*>(value);
  return MPI_SUCCESS;
}

}  // namespace

Windows::Windows(Recording& recording) : recording_(recording) {
  real.MPI_Win_create_keyval(copy_no_window, forget_window, &keyval_, this);
}

Window* Windows::look_up(MPI_Win win) {
  void* value = nullptr;
  int is_set = 0;
  real.MPI_Win_get_attr(win, keyval_, static_cast<void*>(&value), &is_set);
  if (is_set == 0) return nullptr;
  cached_handle_ = win;
  cached_ = static_cast<Window*>(value);
  return cached_;
}

void Windows::made(MPI_Win win, const CommunicatorPtr& communicator) {
  auto window = std::make_unique<Window>();
  window->number = recording_.communicators.define_like(*communicator, "window");
  window->communicator = communicator;
  if (real.MPI_Win_set_attr(win, keyval_, window.get()) == MPI_SUCCESS) window.release();
}

}  // namespace finegrain::recorder
