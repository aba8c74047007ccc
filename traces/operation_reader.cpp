// SPDX-License-Identifier: MIT
#include "traces/operation_reader.hpp"

#include <limits>

#include "traces/io/input_error.hpp"
#include "traces/operation_code.hpp"
#include "traces/take.hpp"

namespace finegrain {
namespace {

bool has(std::byte flags, std::byte flag) {
  return (flags & flag) != std::byte{0};
}

std::byte take_flags(std::span<const std::byte>& column, std::byte all) {
  const std::byte flags = take_byte(column);
  if ((flags & ~all) != std::byte{0}) throw ChunkError("an operation has unknown flags");
  return flags;
}

}  // namespace

RegionName take_region_name(std::span<const std::byte>& part) {
  const auto bytes = take_bytes(part, take_count(part, 1));
  try {
    return RegionName({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const InputError& error) {
    throw ChunkError(error.what());
  }
}

CheckedSum::CheckedSum(std::int32_t ranks) : most_(std::numeric_limits<std::int64_t>::max() / ranks) {}

void CheckedSum::add(std::int64_t each, std::int64_t times) {
  std::int64_t added = 0;
  if (__builtin_mul_overflow(each, times, &added) || added > most_ - sum_)
    throw ChunkError("an iteration moves more bytes or messages than can be counted");
  sum_ += added;
}

OperationReader::OperationReader(std::span<const std::byte>& column, std::vector<std::int64_t>& sizes,
                                 std::int32_t ranks)
    : column_(column),
      sizes_(sizes),
      ranks_(ranks),
      memory_bytes_(ranks),
      scattered_stores_(ranks),
      copied_bytes_(ranks),
      calls_(ranks),
      steps_(ranks),
      shared_references_(ranks),
      affinity_tests_(ranks),
      posts_(ranks),
      post_bytes_(ranks),
      collective_bytes_(ranks) {}

Operation OperationReader::take_operation() {
  const std::byte code = take_byte(column_);
  if (has(code, operation_code::post)) return take_post(code);
  if (code == operation_code::work) return take_work();
  if (code == operation_code::work_with_calls) return take_work_with_calls();
  if (code == operation_code::work_by_pointers_to_shared) return take_work_by_pointers_to_shared();
  if (code == operation_code::complete) return take_complete();
  if (code == operation_code::barrier) {
    if (take_byte(column_) != std::byte{0}) throw ChunkError("an unknown kind of collective");
    return Collective{};
  }
  if (code == operation_code::collective) return take_collective();
  if (code == operation_code::timed_work) return Work{.is_timed = true};
  if (code == operation_code::lock) return take_lock();
  throw ChunkError("an unknown kind of operation");
}

Work OperationReader::take_work() {
  Work work;
  memory_bytes_.add(work.memory_bytes = take_number(column_));
  scattered_stores_.add(work.scattered_stores = take_number(column_));
  copied_bytes_.add(work.copied_bytes = take_number(column_));
  return work;
}

Work OperationReader::take_work_with_calls() {
  Work work = take_work();
  calls_.add(work.calls = take_number(column_));
  steps_.add(work.steps = take_number(column_));
  return work;
}

Work OperationReader::take_work_by_pointers_to_shared() {
  Work work = take_work_with_calls();
  shared_references_.add(work.shared_references = take_number(column_));
  affinity_tests_.add(work.affinity_tests = take_number(column_));
  return work;
}

Complete OperationReader::take_complete() {
  Complete complete;
  complete.oldest = take_number(column_);
  complete.count = take_number(column_);
  if (complete.count > complete.oldest || (complete.oldest > 0 && complete.count == 0))
    throw ChunkError("it completes requests that are not there");
  return complete;
}

std::int32_t OperationReader::take_communicator() {
  const std::int64_t number = take_number(column_);
  if (number > std::numeric_limits<std::int32_t>::max())
    throw ChunkError("a tag or communicator is longer than 32 bits");
  return static_cast<std::int32_t>(number);
}

Collective OperationReader::take_collective() {
  Collective collective;
  collective.kind = static_cast<CollectiveKind>(take_byte(column_));
  if (collective.kind > CollectiveKind::neighbor_alltoallw) throw ChunkError("an unknown kind of collective");
  const std::byte flags = take_flags(column_, operation_code::nonblocking | operation_code::ordered);
  collective.blocking = !has(flags, operation_code::nonblocking);
  collective.commutative = !has(flags, operation_code::ordered);
  collective.communicator = take_communicator();
  collective.root = take_int(column_);
  const std::int64_t element_bytes = take_number(column_);
  if (element_bytes > std::numeric_limits<std::int32_t>::max())
    throw ChunkError("an element of a collective has too many bytes");
  collective.element_bytes = static_cast<std::int32_t>(element_bytes);
  collective_bytes_.add(collective.size_bytes = take_number(column_), ranks_);
  const std::size_t count = take_count(column_, 1);
  if (sizes_.size() + count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw ChunkError("more sizes of collectives than can be counted");
  collective.first_size = static_cast<std::int32_t>(sizes_.size());
  collective.size_count = static_cast<std::int32_t>(count);
  for (std::size_t s = 0; s < count; ++s)
    collective_bytes_.add(sizes_.emplace_back(take_number(column_)));
  return collective;
}

Lock OperationReader::take_lock() {
  Lock lock;
  const std::byte flags = take_flags(column_, operation_code::acquire | operation_code::exclusive);
  lock.acquire = has(flags, operation_code::acquire);
  lock.exclusive = has(flags, operation_code::exclusive);
  lock.window = take_communicator();
  lock.peer = take_int(column_);
  if (lock.peer < -1 || lock.peer >= ranks_) throw ChunkError("a lock's peer is not a rank of the run");
  return lock;
}

Post OperationReader::take_post(std::byte code) {
  Post post{.kind = static_cast<TransferKind>(code & operation_code::kind),
            .blocking = has(code, operation_code::blocking),
            .private_memory = has(code, operation_code::private_memory),
            .peer = 0,
            .size_bytes = 0};
  if (has(code, operation_code::qualified)) {
    const std::byte qualities = take_flags(column_, operation_code::synchronous | operation_code::any_source |
                                                        operation_code::any_tag | operation_code::buffered);
    post.is_synchronous = has(qualities, operation_code::synchronous);
    post.any_source = has(qualities, operation_code::any_source);
    post.any_tag = has(qualities, operation_code::any_tag);
    post.is_buffered = has(qualities, operation_code::buffered);
  }
  peer_ += static_cast<std::uint64_t>(take_signed(column_));
  const auto nobody_yet = static_cast<std::uint64_t>(-1);
  if (peer_ >= static_cast<std::uint64_t>(ranks_) && !(post.any_source && peer_ == nobody_yet))
    throw ChunkError("a transfer's peer is not a rank of the run");
  post.peer = static_cast<std::int32_t>(peer_);
  post.size_bytes = take_number(column_);
  post.repeat = take_number(column_);
  // A put of nothing is a receive that was cancelled.
  const bool is_nothing = post.kind == TransferKind::put && post.size_bytes == 0 && post.repeat == 0;
  if (post.repeat < 1 && !is_nothing) throw ChunkError("a transfer is repeated less than once");
  posts_.add(1, post.repeat);
  post_bytes_.add(post.size_bytes, post.repeat);
  if (has(code, operation_code::named)) {
    post.tag = take_int(column_);
    post.communicator = take_int(column_);
  }
  return post;
}

}  // namespace finegrain
