// SPDX-License-Identifier: MIT
#include "kernels/recorder/requests.hpp"

#include <algorithm>
#include <utility>

#include "kernels/recorder/depth.hpp"
#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {
namespace {

std::size_t hash(MPI_Request handle) {
  // Handles are pointers or small integers; the multiplier is 2^64 divided by the golden ratio.
  return static_cast<std::size_t>(((std::uint64_t)(handle)*0x9e3779b97f4a7c15U) >> 20);
}

}  // namespace

SpareVector<MPI_Request> copy_of(int count, const MPI_Request requests[]) {
  SpareVector<MPI_Request> handles;
  // In a program of another MPI, handles may have another size.
  if (current_recording.load(std::memory_order_relaxed) == nullptr || requests == nullptr) count = 0;
  (*handles).assign(requests, requests + std::max(count, 0));
  return handles;
}

Requests::Requests() : queues_(64) {
  nodes_.reserve(64);
}

void Requests::add(MPI_Request handle, const Pending& pending) {
  std::int32_t at = free_;
  if (at == end) {
    at = static_cast<std::int32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = node(at).next;
  }
  Queue& queue = queue_of(handle);
  node(at) = {pending, queue.last, end, 0};
  if (queue.first == end) {
    queue.first = at;
  } else {
    node(queue.last).next = at;
  }
  queue.last = at;
  if (queue.length++ >= searched) {
    node(at).order = ++added_;
    by_address_.emplace(handle, pending.address, node(at).order, at);
  }
  if (pending.has_wildcard()) ++needing_status;
  if (pending.is_outside) ++outside_;
}

bool Requests::take(MPI_Request handle, const MPI_Request* address, Pending& taken) {
  Queue& queue = queue_of(handle);
  const std::int32_t at = place_of(queue, address);
  if (at == end) return false;
  Node& found = node(at);
  (found.previous == end ? queue.first : node(found.previous).next) = found.next;
  (found.next == end ? queue.last : node(found.next).previous) = found.previous;
  --queue.length;
  if (found.order != 0) by_address_.erase({handle, found.pending.address, found.order, at});
  taken = std::exchange(found.pending, {});
  found.next = free_;
  free_ = at;
  if (taken.has_wildcard() || taken.is_cancelled) --needing_status;
  if (taken.is_outside) --outside_;
  return true;
}

Pending* Requests::find(MPI_Request handle, const MPI_Request* address) {
  const std::int32_t at = place_of(queue_of(handle), address);
  return at == end ? nullptr : &node(at).pending;
}

std::int32_t Requests::place_of(const Queue& queue, const MPI_Request* address) {
  std::int32_t looked_at = 0;
  for (std::int32_t at = queue.first; at != end && looked_at < searched; ++looked_at) {
    if (node(at).pending.address == address) return at;
    at = node(at).next;
  }
  if (queue.length > searched) {
    const auto found = by_address_.lower_bound({queue.handle, address, 0, 0});
    if (found != by_address_.end() && std::get<0>(*found) == queue.handle && std::get<1>(*found) == address)
      return std::get<3>(*found);
  }
  // Inside another call, that one's requests may be complete already, and MPI may have used their handles
  // again.
  return is_in_inner_call() ? queue.last : queue.first;
}

Requests::Queue& Requests::queue_of(MPI_Request handle) {
  for (std::size_t at = hash(handle);; ++at) {
    Queue& queue = queues_[at & (queues_.size() - 1)];
    if (queue.is_used && queue.handle == handle) return queue;
    if (queue.is_used) continue;
    if (2 * (used_queues_ + 1) > queues_.size()) {
      rehash();
      return queue_of(handle);
    }
    ++used_queues_;
    queue = {handle, true, end, end, 0};
    return queue;
  }
}

/// Drops queues that are empty, and makes room.
void Requests::rehash() {
  std::vector<Queue> kept;
  for (const Queue& queue : queues_) {
    if (queue.first != end) kept.push_back(queue);
  }
  const std::size_t size = kept.size() * 4 > queues_.size() ? queues_.size() * 2 : queues_.size();
  queues_.assign(size, {});
  used_queues_ = kept.size();
  for (const Queue& queue : kept) {
    std::size_t at = hash(queue.handle);
    while (queues_[at & (size - 1)].is_used)
      ++at;
    queues_[at & (size - 1)] = queue;
  }
}

}  // namespace finegrain::recorder
