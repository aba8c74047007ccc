// SPDX-License-Identifier: MIT
#include "traces/operation_writer.hpp"

#include "traces/operation_code.hpp"
#include "traces/varint.hpp"

namespace finegrain {
void OperationWriter::write(const Operation& operation, std::span<const std::int64_t> sizes) {
  if (const auto* collective = std::get_if<Collective>(&operation)) {
    write(*collective, sizes.subspan(static_cast<std::size_t>(collective->first_size),
                                     static_cast<std::size_t>(collective->size_count)));
  } else if (const auto* post = std::get_if<Post>(&operation)) {
    write(*post);
  } else if (const auto* work = std::get_if<Work>(&operation)) {
    write(*work);
  } else if (const auto* complete = std::get_if<Complete>(&operation)) {
    write(*complete);
  } else {
    write(std::get<Lock>(operation));
  }
}

void OperationWriter::write(const Work& work) {
  if (work.is_timed) return out_->push_back(operation_code::timed_work);
  const bool is_by_pointers = work.shared_references != 0 || work.affinity_tests != 0;
  const bool has_calls = is_by_pointers || work.calls != 0 || work.steps != 0;
  out_->push_back(is_by_pointers ? operation_code::work_by_pointers_to_shared
                  : has_calls    ? operation_code::work_with_calls
                                 : operation_code::work);
  append_number(*out_, work.memory_bytes);
  append_number(*out_, work.scattered_stores);
  append_number(*out_, work.copied_bytes);
  if (!has_calls) return;
  append_number(*out_, work.calls);
  append_number(*out_, work.steps);
  if (!is_by_pointers) return;
  append_number(*out_, work.shared_references);
  append_number(*out_, work.affinity_tests);
}

void OperationWriter::write(const Post& post) {
  const bool is_named = post.tag != 0 || post.communicator != 0;
  const bool is_qualified = post.is_synchronous || post.is_buffered || post.any_source || post.any_tag;
  std::byte code = operation_code::post | static_cast<std::byte>(post.kind);
  if (post.blocking) code |= operation_code::blocking;
  if (post.private_memory) code |= operation_code::private_memory;
  if (is_named) code |= operation_code::named;
  if (is_qualified) code |= operation_code::qualified;
  out_->push_back(code);
  if (is_qualified) {
    std::byte qualities{0};
    if (post.is_synchronous) qualities |= operation_code::synchronous;
    if (post.any_source) qualities |= operation_code::any_source;
    if (post.any_tag) qualities |= operation_code::any_tag;
    if (post.is_buffered) qualities |= operation_code::buffered;
    out_->push_back(qualities);
  }
  append_signed(*out_, post.peer - previous_peer_);
  append_number(*out_, post.size_bytes);
  append_number(*out_, post.repeat);
  if (is_named) {
    append_signed(*out_, post.tag);
    append_signed(*out_, post.communicator);
  }
  previous_peer_ = post.peer;
}

void OperationWriter::write(const Complete& complete) {
  out_->push_back(operation_code::complete);
  append_number(*out_, complete.oldest);
  append_number(*out_, complete.count);
}

void OperationWriter::write(const Collective& collective, std::span<const std::int64_t> sizes) {
  if (collective == Collective{}) {
    out_->push_back(operation_code::barrier);
    return out_->push_back(std::byte{0});
  }
  out_->push_back(operation_code::collective);
  out_->push_back(static_cast<std::byte>(collective.kind));
  std::byte flags{0};
  if (!collective.blocking) flags |= operation_code::nonblocking;
  if (!collective.commutative) flags |= operation_code::ordered;
  out_->push_back(flags);
  append_number(*out_, collective.communicator);
  append_signed(*out_, collective.root);
  append_number(*out_, collective.element_bytes);
  append_number(*out_, collective.size_bytes);
  append_varint(*out_, sizes.size());
  for (const std::int64_t size : sizes)
    append_number(*out_, size);
}

void OperationWriter::write(const Lock& lock) {
  out_->push_back(operation_code::lock);
  std::byte flags{0};
  if (lock.acquire) flags |= operation_code::acquire;
  if (lock.exclusive) flags |= operation_code::exclusive;
  out_->push_back(flags);
  append_number(*out_, lock.window);
  append_signed(*out_, lock.peer);
}

}  // namespace finegrain
