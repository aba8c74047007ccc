// SPDX-License-Identifier: MIT
#include "kernels/recorder/requests.hpp"

#include <algorithm>
#include <utility>

#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {
namespace {

std::size_t hash(MPI_Request handle) {
  // Handles are pointers or small integers; the multiplier is 2^64 divided by the golden ratio.
  return static_cast<std::size_t>(((std::uint64_t)(handle)*0x9e3779b97f4a7c15U) >> 20);
}

}  // namespace

const std::vector<MPI_Request>& copy_of(int count, const MPI_Request requests[]) {
  thread_local std::vector<MPI_Request> handles;
  // In a program of another MPI, handles may have another size.
  if (current_recording.load(std::memory_order_relaxed) == nullptr || requests == nullptr) count = 0;
  handles.assign(requests, requests + std::max(count, 0));
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
    free_ = nodes_[static_cast<std::size_t>(at)].next;
  }
  Node& node = nodes_[static_cast<std::size_t>(at)];
  node.pending = pending;
  node.next = end;
  Queue& queue = queue_of(handle);
  if (queue.first == end) {
    queue.first = at;
  } else {
    nodes_[static_cast<std::size_t>(queue.last)].next = at;
  }
  queue.last = at;
  if (pending.has_wildcard()) ++needing_status;
}

bool Requests::take(MPI_Request handle, const MPI_Request* address, Pending& taken) {
  const Place place = place_of(handle, address);
  if (place.at == end) return false;
  Node& node = nodes_[static_cast<std::size_t>(place.at)];
  if (place.before == end) {
    place.queue->first = node.next;
  } else {
    nodes_[static_cast<std::size_t>(place.before)].next = node.next;
  }
  if (place.queue->last == place.at) place.queue->last = place.before;
  taken = std::exchange(node.pending, {});
  node.next = free_;
  free_ = place.at;
  if (taken.has_wildcard() || taken.is_cancelled) --needing_status;
  return true;
}

Pending* Requests::find(MPI_Request handle, const MPI_Request* address) {
  const Place place = place_of(handle, address);
  return place.at == end ? nullptr : &nodes_[static_cast<std::size_t>(place.at)].pending;
}

Requests::Place Requests::place_of(MPI_Request handle, const MPI_Request* address) {
  Queue& queue = queue_of(handle);
  std::int32_t before = end;
  // Fortran's calls have other addresses each time; then searching a long queue is useless.
  int looked_at = 0;
  for (std::int32_t at = queue.first; at != end && looked_at < 64; ++looked_at) {
    if (nodes_[static_cast<std::size_t>(at)].pending.address == address) return {&queue, before, at};
    before = at;
    at = nodes_[static_cast<std::size_t>(at)].next;
  }
  return {&queue, end, queue.first};
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
    queue = {handle, true, end, end};
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
