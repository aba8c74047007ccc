// SPDX-License-Identifier: MIT
#include "traces/formats/otf2_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "traces/formats/otf2_functions.hpp"
#include "traces/io/input_error.hpp"
#include "traces/place_of_call.hpp"

namespace finegrain::formats {
namespace {

bool has_root(CollectiveKind kind) {
  using C = CollectiveKind;
  return kind == C::broadcast || kind == C::gather || kind == C::gatherv || kind == C::scatter ||
         kind == C::scatterv || kind == C::reduce;
}

}  // namespace

void check_otf2(OTF2_ErrorCode code, const std::string& file) {
  if (code == OTF2_SUCCESS) return;
  throw InputError(file, fmt::format("cannot be written ({})", OTF2_Error_GetDescription(code)),
                   "Choose a writable place with enough room");
}

std::uint64_t Otf2Writer::time(std::int64_t at_ns) {
  // With a corrected clock, a time may be before the previous one.
  time_ = std::max(time_, static_cast<std::uint64_t>(std::max<std::int64_t>(at_ns - first_ns_, 0)));
  return time_;
}

std::uint32_t Otf2Writer::rank_in(std::int32_t communicator, std::int32_t rank_of_run) const {
  if (communicator == 0) return static_cast<std::uint32_t>(rank_of_run);
  const auto ranks = trace_.communicator(communicator);
  return static_cast<std::uint32_t>(std::ranges::find(ranks, rank_of_run) - ranks.begin());
}

void Otf2Writer::write(const RecordedIteration& call) {
  if (call.body.regions.empty()) return;
  const auto [of_thread, is_new_thread] = threads_.try_emplace(call.thread);
  Thread& thread = of_thread->second;
  if (is_new_thread) thread.location = open_location_(call.thread);
  writer_ = thread.location;
  time_ = thread.time;
  const Region& region = call.body.regions.back();
  const std::string_view function = function_of(region.name);
  const auto [number, is_new] = names_.functions.try_emplace(
      std::string(function), static_cast<std::uint32_t>(names_.functions.size()));
  const Interval& times = call.regions.back();
  if (call.lost_ns > 0)
    ++names_.remarks["stretches of work in which the rank waited for a core: that time counts as work"];
  count_what_is_lost(call.body.operations_of(region), function);
  enter(region.name, number->second, time(times.start_ns));
  const std::size_t nothing_before = nothing_.size();
  for (const Operation& operation : call.body.operations_of(region)) {
    if (const auto* post = std::get_if<Post>(&operation)) {
      // A message has come when the call that waits for it ends.
      if (post->blocking && post->kind == TransferKind::receive) time(times.end_ns);
      write(*post);
    } else if (const auto* collective = std::get_if<Collective>(&operation)) {
      write(*collective, call.body, times.end_ns);
    } else if (const auto* lock = std::get_if<Lock>(&operation)) {
      write(*lock);
    } else if (const auto* ended = std::get_if<Complete>(&operation)) {
      // A call's own events are at its end, when it is known that they have happened.
      time(times.end_ns);
      for (std::int64_t i = 0; i < ended->count; ++i)
        complete(requests_ + 1 - ended->oldest + i);
    }
  }
  time(times.end_ns);
  // The trace does not say which receive the call cancels, but it has only those that took no message.
  if (function == "MPI_Cancel" && !nothing_.empty() && nothing_.size() == nothing_before) cancel_oldest();
  while (function == "MPI_Finalize" && !nothing_.empty())
    cancel_oldest();
  check(OTF2_EvtWriter_Leave(writer_, nullptr, time_, number->second));
  thread.time = time_;
  last_time_ = std::max(last_time_, time_);
}

void Otf2Writer::finish() {
  if (writer_ == nullptr) return;
  while (!nothing_.empty())
    cancel_oldest();
}

void Otf2Writer::cancel_oldest() {
  complete(*nothing_.begin());
}

void Otf2Writer::enter(RegionName call, std::uint32_t function, std::uint64_t time) {
  const unsigned line = line_number_of(call);
  if (line == 0) return check(OTF2_EvtWriter_Enter(writer_, nullptr, time, function));
  const auto number =
      names_.lines
          .try_emplace({std::string(file_of(call)), line}, static_cast<std::uint32_t>(names_.lines.size()))
          .first->second;
  const std::unique_ptr<OTF2_AttributeList, decltype(&OTF2_AttributeList_Delete)> attributes(
      OTF2_AttributeList_New(), &OTF2_AttributeList_Delete);
  check(
      OTF2_AttributeList_AddSourceCodeLocationRef(attributes.get(), Otf2Names::source_code_location, number));
  check(OTF2_EvtWriter_Enter(writer_, attributes.get(), time, function));
}

/// What an import knows only where the name of the function says it.
void Otf2Writer::count_what_is_lost(std::span<const Operation> operations, std::string_view function) {
  for (const Operation& operation : operations) {
    const auto* post = std::get_if<Post>(&operation);
    if (post != nullptr && post->is_synchronous && !is_synchronous(function))
      ++names_.remarks["synchronous sends of functions whose names do not say so: written as others"];
    if (post != nullptr && post->is_buffered && !is_buffered(function))
      ++names_.remarks["buffered sends of functions whose names do not say so: written as others"];
    if (std::holds_alternative<Work>(operation) && !only_passes_time(function))
      ++names_.remarks
            ["calls of which only the time is known, and the functions' names do not say so: an import "
             "takes them to do nothing"];
  }
}

/// The size of the message, which may be less than that of the receive's buffer.
std::uint64_t Otf2Writer::received_bytes(const Post& receive) {
  const std::int64_t buffer_bytes = receive.size_bytes * receive.repeat;
  const auto sent_bytes = sizes_.take({receive.communicator, receive.peer, rank_, receive.tag});
  if (!sent_bytes)
    ++names_.remarks["receives whose sends the trace lacks: written with their buffers' sizes"];
  return static_cast<std::uint64_t>(std::min(sent_bytes.value_or(buffer_bytes), buffer_bytes));
}

void Otf2Writer::write(const Post& post) {
  const std::uint32_t peer = rank_in(post.communicator, post.peer);
  const auto communicator = static_cast<OTF2_CommRef>(post.communicator);
  const auto tag = static_cast<std::uint32_t>(post.tag);
  const auto size = post.kind == TransferKind::receive
                        ? received_bytes(post)
                        : static_cast<std::uint64_t>(post.size_bytes * post.repeat);
  if (makes_request(post)) open_[++requests_] = {post, 0, size};
  const auto request = static_cast<std::uint64_t>(requests_);
  if (is_nothing(post, rank_)) {
    if (!makes_request(post)) return;
    nothing_.insert(requests_);
    return check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time_, request));
  }
  if (is_two_sided(post.kind)) {
    names_.communicators.insert(post.communicator);
    if (post.kind == TransferKind::send) {
      check(post.blocking
                ? OTF2_EvtWriter_MpiSend(writer_, nullptr, time_, peer, communicator, tag, size)
                : OTF2_EvtWriter_MpiIsend(writer_, nullptr, time_, peer, communicator, tag, size, request));
    } else {
      check(post.blocking ? OTF2_EvtWriter_MpiRecv(writer_, nullptr, time_, peer, communicator, tag, size)
                          : OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time_, request));
    }
    return;
  }
  names_.communicators.insert(post.communicator);
  names_.windows.insert(post.communicator);
  const auto window = static_cast<OTF2_RmaWinRef>(post.communicator);
  const bool fetches = post.kind == TransferKind::fetch;
  if (post.kind == TransferKind::put) {
    check(OTF2_EvtWriter_RmaPut(writer_, nullptr, time_, window, peer, size, request));
  } else if (post.kind == TransferKind::get) {
    check(OTF2_EvtWriter_RmaGet(writer_, nullptr, time_, window, peer, size, request));
  } else {
    check(OTF2_EvtWriter_RmaAtomic(
        writer_, nullptr, time_, window, peer,
        fetches ? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE : OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, size,
        fetches ? size : 0, request));
  }
}

void Otf2Writer::write(const Collective& collective, const Body& body, std::int64_t end_ns) {
  const auto kind = otf2_operation(collective.kind);
  if (!kind) {
    throw InputError(trace_.file_name(rank_),
                     fmt::format("has a {} (OTF2 has no such collective)", to_string(collective.kind)),
                     "Use finegrain replay");
  }
  if (is_reduction(collective.kind) && collective.element_bytes != 1)
    ++names_.remarks["reductions: the format does not hold the size of an element"];
  const std::int32_t number = collective.communicator;
  names_.communicators.insert(number);
  const std::int64_t ranks =
      number == 0 ? trace_.manifest().run.ranks : std::ssize(trace_.communicator(number));
  const auto sizes = std::span(body.sizes)
                         .subspan(static_cast<std::size_t>(collective.first_size),
                                  static_cast<std::size_t>(collective.size_count));
  const auto [sent, received] = otf2_sizes(collective, sizes, rank_in(number, rank_), ranks);
  if (!collective.blocking) {
    open_[++requests_] = {collective, sent, received};
    check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, time_,
                                                      static_cast<std::uint64_t>(requests_)));
    return;
  }
  check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, time_));
  check(OTF2_EvtWriter_MpiCollectiveEnd(
      writer_, nullptr, time(end_ns), static_cast<OTF2_CollectiveOp>(*kind),
      static_cast<OTF2_CommRef>(number),
      has_root(collective.kind) ? static_cast<std::uint32_t>(collective.root) : OTF2_COLLECTIVE_ROOT_NONE,
      sent, received));
}

void Otf2Writer::write(const Lock& lock) {
  names_.communicators.insert(lock.window);
  names_.windows.insert(lock.window);
  const auto window = static_cast<OTF2_RmaWinRef>(lock.window);
  const std::uint32_t remote = lock.peer < 0 ? OTF2_UNDEFINED_UINT32 : rank_in(lock.window, lock.peer);
  check(lock.acquire ? OTF2_EvtWriter_RmaAcquireLock(writer_, nullptr, time_, window, remote, 0,
                                                     lock.exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED)
                     : OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, time_, window, remote, 0));
}

void Otf2Writer::complete(std::int64_t number) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  const Open open = found->second;
  open_.erase(found);
  nothing_.erase(number);
  const auto request = static_cast<std::uint64_t>(number);
  if (const auto* collective = std::get_if<Collective>(&open.operation)) {
    check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
        writer_, nullptr, time_, static_cast<OTF2_CollectiveOp>(*otf2_operation(collective->kind)),
        static_cast<OTF2_CommRef>(collective->communicator),
        has_root(collective->kind) ? static_cast<std::uint32_t>(collective->root) : OTF2_COLLECTIVE_ROOT_NONE,
        open.sent, open.received, request));
    return;
  }
  const Post& post = std::get<Post>(open.operation);
  if (is_nothing(post, rank_)) {
    check(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, time_, request));
  } else if (post.kind == TransferKind::send) {
    check(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, time_, request));
  } else if (post.kind == TransferKind::receive) {
    check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, time_, rank_in(post.communicator, post.peer),
                                  static_cast<OTF2_CommRef>(post.communicator),
                                  static_cast<std::uint32_t>(post.tag), open.received, request));
  } else {
    check(OTF2_EvtWriter_RmaOpCompleteBlocking(writer_, nullptr, time_,
                                               static_cast<OTF2_RmaWinRef>(post.communicator), request));
  }
}

}  // namespace finegrain::formats
