// SPDX-License-Identifier: MIT
#include "traces/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

/// All names of this process. They stay where they are.
struct Names {
  std::mutex mutex;
  std::deque<std::string> texts{"pack", "put",  "get",    "send",    "receive",
                                "wait", "copy", "unpack", "compute", "barrier"};
  std::map<std::string_view, std::uint16_t> numbers;

  Names() {
    for (std::size_t number = 0; number < texts.size(); ++number)
      numbers.emplace(texts[number], static_cast<std::uint16_t>(number));
  }
};

Names& names() {
  static Names& all = *new Names;  // never destroyed: an MPI program may be recorded while it exits
  return all;
}

bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

}  // namespace

RegionName::RegionName(std::string_view text) {
  if (text.empty() || text.size() > longest || !std::ranges::all_of(text, is_printable)) {
    throw InputError("region",
                     fmt::format("a name of {} bytes is not one of 1 to {} printable ASCII characters",
                                 text.size(), longest),
                     "Choose another");
  }
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  const auto known = all.numbers.find(text);
  if (known != all.numbers.end()) {
    number_ = known->second;
    return;
  }
  if (all.texts.size() == most_names)
    throw InputError("region", fmt::format("{} is one name too many (there are {})", text, most_names),
                     "Use fewer");
  number_ = static_cast<std::uint16_t>(all.texts.size());
  all.numbers.emplace(all.texts.emplace_back(text), number_);
}

std::string_view RegionName::text() const {
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  return all.texts[number_];
}

Body& Body::begin_region(RegionName name) {
  regions.push_back({name, static_cast<std::int32_t>(operations.size()), 0});
  return *this;
}

Body& Body::add(const Operation& operation) {
  assert(!regions.empty());
  operations.push_back(operation);
  ++regions.back().operation_count;
  return *this;
}

std::span<const Operation> Body::operations_of(const Region& region) const {
  return std::span(operations)
      .subspan(static_cast<std::size_t>(region.first_operation),
               static_cast<std::size_t>(region.operation_count));
}

std::int64_t count_posts(std::span<const Operation> operations) {
  return std::ranges::count_if(
      operations, [](const Operation& operation) { return std::holds_alternative<Post>(operation); });
}

std::int64_t memory_bytes(std::span<const Operation> operations) {
  std::int64_t bytes = 0;
  for (const Operation& operation : operations) {
    if (const auto* work = std::get_if<Work>(&operation)) bytes += work->memory_bytes;
  }
  return bytes;
}

std::string_view to_string(TransferKind kind) {
  switch (kind) {
    case TransferKind::send:
      return "send";
    case TransferKind::receive:
      return "receive";
    case TransferKind::put:
      return "put";
    case TransferKind::get:
      return "get";
    case TransferKind::load:
      return "load";
    case TransferKind::store:
      return "store";
    case TransferKind::accumulate:
      return "accumulate";
    case TransferKind::fetch:
      return "fetch";
  }
  return "unknown";
}

std::string_view to_string(CollectiveKind kind) {
  constexpr std::array<std::string_view, 22> names{"barrier",
                                                   "broadcast",
                                                   "gather",
                                                   "gatherv",
                                                   "scatter",
                                                   "scatterv",
                                                   "allgather",
                                                   "allgatherv",
                                                   "alltoall",
                                                   "alltoallv",
                                                   "alltoallw",
                                                   "reduce",
                                                   "allreduce",
                                                   "reduce_scatter",
                                                   "reduce_scatter_block",
                                                   "scan",
                                                   "exscan",
                                                   "neighbor_allgather",
                                                   "neighbor_allgatherv",
                                                   "neighbor_alltoall",
                                                   "neighbor_alltoallv",
                                                   "neighbor_alltoallw"};
  return names[static_cast<std::size_t>(kind)];
}

std::string describe(const Operation& operation) {
  if (const auto* work = std::get_if<Work>(&operation))
    return work->is_timed ? "work by its time" : fmt::format("work {} B", work->memory_bytes);
  if (const auto* post = std::get_if<Post>(&operation))
    return fmt::format("{} {} {} B", to_string(post->kind), post->peer, post->size_bytes);
  if (const auto* complete = std::get_if<Complete>(&operation)) {
    return complete->is_all() ? "complete all"
                              : fmt::format("complete {} of {}", complete->count, complete->oldest);
  }
  if (const auto* lock = std::get_if<Lock>(&operation)) return lock->acquire ? "lock" : "unlock";
  const auto& collective = std::get<Collective>(operation);
  return collective.kind == CollectiveKind::barrier
             ? std::string(to_string(collective.kind))
             : fmt::format("{} {} B", to_string(collective.kind), collective.size_bytes);
}

}  // namespace finegrain
