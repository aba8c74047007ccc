// SPDX-License-Identifier: MIT
#include "sim/replay/shares_done.hpp"

#include <sys/mman.h>

#include <new>

namespace finegrain::replay {
namespace {

std::atomic<double>* own_share = nullptr;

}  // namespace

SharesDone::SharesDone(std::size_t simulations) {
  static_assert(std::atomic<double>::is_always_lock_free);  // a lock would belong to one process
  using Share = std::atomic<double>;
  if (simulations == 0) return;
  void* const memory =
      ::mmap(nullptr, simulations * sizeof(Share), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  for (std::size_t i = 0; i < simulations; ++i)
    new (static_cast<Share*>(memory) + i) Share(0);
  shares_ = {static_cast<Share*>(memory), simulations};
}

SharesDone::~SharesDone() {
  if (!shares_.empty()) ::munmap(shares_.data(), shares_.size_bytes());
}

double SharesDone::sum() const {
  double sum = 0;
  for (const std::atomic<double>& share : shares_)
    sum += share;
  return sum;
}

std::atomic<double>* share_of_this_process() {
  return own_share;
}

void set_share_of_this_process(std::atomic<double>* share) {
  own_share = share;
}

SharesListener& shares_listener() {
  static SharesListener listener;
  return listener;
}

}  // namespace finegrain::replay
