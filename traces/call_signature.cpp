// SPDX-License-Identifier: MIT
#include "traces/call_signature.hpp"

#include "traces/operation_code.hpp"
#include "traces/varint.hpp"

namespace finegrain {

void CallSignature::begin(std::uint32_t function) {
  bytes_.clear();
  posts_ = 0;
  writer_ = OperationWriter(bytes_);
  append_varint(bytes_, function);
}

void CallSignature::thread(std::uint32_t number) {
  bytes_.push_back(operation_code::thread);
  append_varint(bytes_, number);
}

void CallSignature::place(std::uint32_t name) {
  bytes_.push_back(operation_code::place);
  append_varint(bytes_, name);
}

void CallSignature::post(const Post& post) {
  ++posts_;
  writer_.write(post);
}

void CallSignature::complete(std::int64_t oldest, std::int64_t count) {
  writer_.write(Complete{oldest, count});
}

void CallSignature::collective(const Collective& collective, std::span<const std::int64_t> sizes) {
  writer_.write(collective, sizes);
}

void CallSignature::lock(const Lock& lock) {
  writer_.write(lock);
}

void CallSignature::work(const Work& work) {
  writer_.write(work);
}

void CallSignature::bind(std::int64_t age, std::int32_t peer, std::int32_t tag) {
  bytes_.push_back(operation_code::bind);
  append_varint(bytes_, static_cast<std::uint64_t>(age));
  append_varint(bytes_, zigzag(peer));
  append_varint(bytes_, zigzag(tag));
}

void CallSignature::cancel(std::int64_t age) {
  bytes_.push_back(operation_code::cancel);
  append_varint(bytes_, static_cast<std::uint64_t>(age));
}

}  // namespace finegrain
