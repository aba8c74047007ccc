// SPDX-License-Identifier: MIT
#include "kernels/recorder/windows.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {
namespace {

int copy_no_window(MPI_Win, int, void*, void*, void*, int* is_copied) {
  *is_copied = 0;
  return MPI_SUCCESS;
}

int begin_to_free_window(MPI_Win win, int, void* value, void* windows) {
  static_cast<Windows*>(windows)->is_being_freed(win, std::unique_ptr<Window>(static_cast<Window*>(value)));
  return MPI_SUCCESS;
}

}  // namespace

Windows::Windows(Recording& recording) : recording_(recording) {
  real.MPI_Win_create_keyval(copy_no_window, begin_to_free_window, &keyval_, this);
}

Window* Windows::look_up(MPI_Win win) {
  const auto freed = std::ranges::find(being_freed_, win, &BeingFreed::win);
  if (freed != being_freed_.end()) return freed->window.get();
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
  is_free(win);
  if (real.MPI_Win_set_attr(win, keyval_, window.get()) == MPI_SUCCESS) window.release();
}

void Windows::is_being_freed(MPI_Win win, std::unique_ptr<Window> window) {
  const Access access;
  cached_ = nullptr;
  being_freed_.push_back({win, std::move(window)});
}

void Windows::is_free(MPI_Win win) {
  std::erase_if(being_freed_, [win](const BeingFreed& freed) { return freed.win == win; });
}

}  // namespace finegrain::recorder
