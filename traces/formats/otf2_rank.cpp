// SPDX-License-Identifier: MIT
#include "traces/formats/otf2_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "traces/formats/otf2_functions.hpp"

namespace finegrain::formats {
namespace {

using Kind = Otf2Event::Kind;

/// What `received` says in an event that begins what a later one describes.
enum Described : std::uint64_t { unknown, known, cancelled };

/// Longer than any message.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

/// Functions that EZTrace 2.0 sometimes records without what they do.
constexpr std::array<std::string_view, 12> communicating = {
    "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Scan",    "MPI_Exscan",   "MPI_Put",        "MPI_Get",
    "MPI_Ibarrier", "MPI_Ibcast",           "MPI_Igather", "MPI_Iscatter", "MPI_Iallreduce", "MPI_Ialltoall"};

const char* function_of(Kind kind) {
  switch (kind) {
    case Kind::send:
      return "MPI_Send";
    case Kind::isend:
      return "MPI_Isend";
    case Kind::receive:
      return "MPI_Recv";
    case Kind::irecv_request:
      return "MPI_Irecv";
    case Kind::irecv:
    case Kind::isend_complete:
      return "MPI_Wait";
    case Kind::put:
      return "MPI_Put";
    case Kind::get:
      return "MPI_Get";
    default:
      return "MPI";
  }
}

}  // namespace

std::string mpi_function(const std::string& region) {
  std::string_view name = region;
  if (name.starts_with("P") || name.starts_with("p")) name.remove_prefix(1);
  std::string small(name);
  std::ranges::transform(small, small.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!small.starts_with("mpi_") || small.size() < 5) return "";
  // In C it has small letters, and no underscore at its end.
  if (name.starts_with("MPI_") && small.back() != '_' && name.substr(5) == small.substr(5))
    return std::string(name);
  while (small.ends_with('_'))
    small.pop_back();
  if (small.size() < 5) return "";
  return "MPI_" + std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(small[4])))) +
         small.substr(5);
}

std::int64_t Otf2Rank::ns(std::uint64_t time) const {
  // 64 bits are exact for times up to ten years.
  const long double ticks = static_cast<long double>(time) - static_cast<long double>(definitions_.start);
  const long double exact = ticks * 1e9L / static_cast<long double>(definitions_.ticks_per_s);
  constexpr long double most = 4e18L;
  return static_cast<std::int64_t>(std::clamp(exact, -most, most));
}

void Otf2Rank::look_ahead(std::vector<Otf2Event>& events) {
  std::unordered_map<std::uint64_t, std::size_t> begun;
  for (std::size_t e = 0; e < events.size(); ++e) {
    const Otf2Event& event = events[e];
    if (event.kind == Kind::irecv_request || event.kind == Kind::collective_request) {
      events[e].received = unknown;
      begun[event.request] = e;
      continue;
    }
    const bool describes = event.kind == Kind::irecv || event.kind == Kind::collective_complete;
    if (!describes && event.kind != Kind::cancelled) continue;
    const auto found = begun.find(event.request);
    if (found == begun.end()) continue;
    Otf2Event& beginning = events[found->second];
    const bool is_receive = beginning.kind == Kind::irecv_request;
    begun.erase(found);
    if (describes && is_receive == (event.kind == Kind::irecv)) {
      const Kind kind = beginning.kind;
      const std::uint64_t time = beginning.time;
      const std::uint32_t thread = beginning.thread;
      const std::uint64_t received = event.received;
      beginning = event;
      beginning.kind = kind;
      beginning.time = time;
      beginning.thread = thread;
      beginning.received = is_receive ? static_cast<std::uint64_t>(known) : received;
    } else if (is_receive) {
      beginning.received = cancelled;
    }
  }
}

void Otf2Rank::read(std::vector<Otf2Event> events) {
  look_ahead(events);
  add_start(events);
  std::unordered_map<std::uint32_t, Current> threads;
  std::unordered_map<std::uint32_t, std::string> functions;
  const auto function = [&](std::uint32_t region) -> const std::string& {
    const auto [found, is_new] = functions.try_emplace(region);
    if (is_new) found->second = mpi_function(definitions_.region_name(region));
    return found->second;
  };
  std::uint64_t last = 0;
  for (const Otf2Event& event : events) {
    Current& current = threads[event.thread];
    last = std::max(last, event.time);
    if (event.kind == Kind::enter) {
      if (function(event.object).empty()) continue;
      if (current.depth++ == 0) current = {1, event.object, event.time, {}};
    } else if (event.kind == Kind::leave) {
      if (function(event.object).empty() || current.depth == 0 || --current.depth > 0) continue;
      add_call(function(current.region), event.thread, current.start, event.time, current.events);
    } else if (current.depth > 0) {
      current.events.push_back(event);
    } else if (event.kind != Kind::cancelled) {  // look_ahead() has seen that
      add_call(function_of(event.kind), event.thread, event.time, event.time, {event});
    }
  }
  // A rank that was killed in a call.
  for (const auto& [thread, current] : threads) {
    if (current.depth > 0) add_call(function(current.region), thread, current.start, last, current.events);
  }
  // A trace has work between calls only. After MPI_Finalize, a program's time does not count.
  const bool has_ended = std::ranges::any_of(
      calls.calls, [](const ImportedCall& call) { return call.function.text() == "MPI_Finalize"; });
  const auto end_ns = [](const ImportedCall& call) { return call.end_ns; };
  const bool works_on = calls.calls.empty() || ns(last) > std::ranges::max(calls.calls, {}, end_ns).end_ns;
  if (!events.empty() && !has_ended && works_on) add_call("MPI_Finalize", 0, last, last, {});
}

/// The work before the first call counts if there is no MPI_Init, before which a program's time does not.
void Otf2Rank::add_start(const std::vector<Otf2Event>& events) {
  for (const Otf2Event& event : events) {
    if (event.kind == Kind::leave) continue;
    const std::string name = event.kind == Kind::enter ? mpi_function(definitions_.region_name(event.object))
                                                       : function_of(event.kind);
    if (name.empty()) continue;
    if (!name.starts_with("MPI_Init") && event.time > events.front().time)
      add_call("MPI_Init", 0, events.front().time, events.front().time, {});
    return;
  }
  if (!events.empty()) add_call("MPI_Init", 0, events.front().time, events.front().time, {});
}

void Otf2Rank::add_call(const std::string& name, std::uint32_t thread, std::uint64_t start, std::uint64_t end,
                        const std::vector<Otf2Event>& events) {
  std::string printable = name.substr(0, RegionName::longest);
  std::ranges::replace_if(
      printable, [](char c) { return c < ' ' || c > '~'; }, '?');
  calls.begin(RegionName(printable), ns(start));
  calls.calls.back().thread = thread;
  const bool is_exchange = name.starts_with("MPI_Sendrecv");
  std::vector<std::int64_t> exchanged;
  for (const Otf2Event& event : events)
    add(event, is_exchange, exchanged);
  calls.complete(std::exchange(ended_, {}));
  calls.complete(exchanged);
  if (sizes_ == Otf2Sizes::of_arguments) guess_completion(name);
  if (events.empty() && only_passes_time(name)) calls.add(Work{.is_timed = true});
  if (events.empty() && std::ranges::find(communicating, name) != communicating.end())
    remark(fmt::format("calls of {} without an event (EZTrace 2.0 writes none): what they send is missing",
                       name));
  calls.end(std::max(ns(end), ns(start)));
}

void Otf2Rank::add(const Otf2Event& event, bool is_exchange, std::vector<std::int64_t>& exchanged) {
  const bool completes = event.kind == Kind::isend_complete || event.kind == Kind::irecv ||
                         event.kind == Kind::cancelled || event.kind == Kind::collective_complete;
  if (completes) return complete(event.request);
  if (event.kind == Kind::one_sided_complete) {
    const auto request = one_sided_.find(event.request);
    if (request == one_sided_.end()) return;
    ended_.push_back(request->second);
    one_sided_.erase(request);
    return;
  }
  // What one call completes is completed at once.
  calls.complete(std::exchange(ended_, {}));
  switch (event.kind) {
    case Kind::send:
    case Kind::isend:
    case Kind::receive:
      return add_message(event, is_exchange, exchanged);
    case Kind::irecv_request: {
      const bool is_wrong = event.received == known && event.size > most_bytes;
      if (event.received == known && !is_wrong) return add_message(event, is_exchange, exchanged);
      if (event.received == cancelled) {
        // As it is recorded: the receive moves nothing, and no call completes its request, which counts.
        calls.add(Post{.kind = TransferKind::put, .peer = rank_, .size_bytes = 0, .repeat = 0});
        return;
      }
      remark(is_wrong
                 ? "receives of which the archive says what cannot be, such as more than 1 TiB (EZTrace 2.0 "
                   "does so in Waitsome): what they took is not known"
                 : "receives of which the archive does not say what they took (EZTrace 2.0 does so)");
      open(event.request, calls.add(Post{.kind = TransferKind::receive,
                                         .any_source = true,
                                         .any_tag = true,
                                         .peer = -1,
                                         .tag = unknown_tag,
                                         .communicator = unknown_communicator,
                                         .size_bytes = unknown_size}));
      receives_[calls.requests] = true;
      return;
    }
    case Kind::collective:
    case Kind::collective_request:
      return add_collective(event);
    case Kind::put:
    case Kind::get:
    case Kind::fetch:
      return add_one_sided(event);
    default:
      return add_window_event(event);
  }
}

void Otf2Rank::add_message(const Otf2Event& event, bool is_exchange, std::vector<std::int64_t>& exchanged) {
  const auto number = communicators_.number_of(event.object, rank_);
  if (!number)
    return remark("messages of communicators that are not defined, or are between two groups: left out");
  const auto peer = communicators_.rank_of_run(*number, event.peer);
  if (!peer) return;  // MPI_PROC_NULL
  const bool sends = event.kind == Kind::send || event.kind == Kind::isend;
  const bool blocks = (event.kind == Kind::send || event.kind == Kind::receive) && !is_exchange;
  if (event.size > most_bytes) remark("messages of more than 1 TiB: taken as of 1 TiB");
  const std::string_view function = calls.calls.back().function.text();
  const Post post{.kind = sends ? TransferKind::send : TransferKind::receive,
                  .blocking = blocks,
                  .is_synchronous = sends && is_synchronous(function),
                  .is_buffered = sends && is_buffered(function),
                  .peer = *peer,
                  .tag = static_cast<std::int32_t>(event.tag),
                  .communicator = *number,
                  .size_bytes = static_cast<std::int64_t>(std::min(event.size, most_bytes))};
  const std::int64_t request = calls.add(post);
  if (event.kind == Kind::isend || event.kind == Kind::irecv_request) {
    open(event.request, request);
    receives_[request] = !sends;
  } else if (request != 0) {
    exchanged.push_back(request);
  }
}

void Otf2Rank::add_collective(const Otf2Event& event) {
  const auto number = communicators_.number_of(event.object, rank_);
  const bool blocks = event.kind == Kind::collective;
  if (!number) return remark("collectives of communicators that are not defined: left out");
  // Making a communicator or a window is recorded as a barrier.
  const CollectiveKind kind = collective_kind(event.tag).value_or(CollectiveKind::barrier);
  const std::int32_t ranks = communicators_.size(*number);
  const std::int32_t own = communicators_.rank_in(*number, rank_);
  collectives.push_back({*number, calls.operations.size(), event.size, event.received});
  const std::int64_t request = calls.add(
      Collective{.kind = kind,
                 .blocking = blocks,
                 .communicator = *number,
                 .root = event.peer < static_cast<std::uint32_t>(ranks) ? static_cast<int>(event.peer) : 0,
                 .size_bytes = size_of(kind, sizes_, own, ranks, event.size, event.received)});
  if (!blocks) open(event.request, request);
}

void Otf2Rank::add_one_sided(const Otf2Event& event) {
  const auto window = definitions_.windows.find(event.object);
  const auto number =
      window == definitions_.windows.end() ? std::nullopt : communicators_.number_of(window->second, rank_);
  const auto peer = number ? communicators_.rank_of_run(*number, event.peer) : std::nullopt;
  if (!peer) return remark("one-sided transfers of windows that are not defined: left out");
  if (event.size > most_bytes) remark("messages of more than 1 TiB: taken as of 1 TiB");
  const TransferKind kind = event.kind == Kind::put   ? TransferKind::put
                            : event.kind == Kind::get ? TransferKind::get
                            : event.received == 0     ? TransferKind::accumulate
                                                      : TransferKind::fetch;
  one_sided_[event.request] =
      calls.add(Post{.kind = kind,
                     .peer = *peer,
                     .communicator = *number,
                     .size_bytes = static_cast<std::int64_t>(std::min(event.size, most_bytes))});
}

void Otf2Rank::add_window_event(const Otf2Event& event) {
  const auto window = definitions_.windows.find(event.object);
  const auto number =
      window == definitions_.windows.end() ? std::nullopt : communicators_.number_of(window->second, rank_);
  if (!number) return remark("synchronizations of windows that are not defined: left out");
  if (event.kind == Kind::window_collective) {
    std::vector<std::int64_t> open;
    for (const auto& [matching, request] : std::exchange(one_sided_, {}))
      open.push_back(request);
    calls.complete(std::move(open));
    collectives.push_back({*number, calls.operations.size(), 0, 0});
    calls.add(Collective{.communicator = *number});
    return;
  }
  const auto peer = communicators_.rank_of_run(*number, event.peer);
  calls.add(Lock{.acquire = event.kind == Kind::lock,
                 .exclusive = event.tag != 0,
                 .window = *number,
                 .peer = peer.value_or(-1)});
}

void Otf2Rank::guess_completion(const std::string& name) {
  if (receives_.empty()) return;
  std::vector<std::int64_t> ended;
  if (name == "MPI_Waitall") {
    for (const auto& [request, is_receive] : receives_)
      ended.push_back(request);
  } else if (name == "MPI_Wait") {
    ended.push_back(receives_.begin()->first);
  } else if (name == "MPI_Waitany" || name == "MPI_Waitsome") {
    const auto receive = std::ranges::find_if(receives_, [](const auto& open) { return open.second; });
    ended.push_back(receive == receives_.end() ? receives_.begin()->first : receive->first);
  }
  if (ended.empty()) return;
  remark(
      "waits of which the archive does not say for what (EZTrace 2.0 does so): a Waitall ends all, others "
      "the oldest");
  for (const std::int64_t request : ended) {
    receives_.erase(request);
    std::erase_if(open_, [request](const auto& open) { return open.second == request; });
  }
  calls.complete(std::move(ended));
}

void Otf2Rank::open(std::uint64_t request, std::int64_t number) {
  open_[request] = number;
}

void Otf2Rank::complete(std::uint64_t request) {
  const auto open = open_.find(request);
  if (open == open_.end()) return;  // a test had found it complete
  ended_.push_back(open->second);
  receives_.erase(open->second);
  open_.erase(open);
}

}  // namespace finegrain::formats
