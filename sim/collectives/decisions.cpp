// SPDX-License-Identifier: MIT
#include "sim/collectives/decisions.hpp"

#include <fmt/format.h>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <charconv>

#include "sim/collectives/decision_table.hpp"
#include "sim/collectives/layout.hpp"
#include "sim/collectives/tables.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::collectives {
namespace {

template <class Number>
Number number_of(std::string_view text, std::string_view what) {
  Number number = 0;
  const auto end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end || number < 0)
    throw InputError("", fmt::format("'{}' is no {}", text, what), "Use a whole number, 0 or larger");
  return number;
}

/// Nothing is sent: libraries return before they look at their rules.
bool is_empty(const Call& call) {
  if (call.ranks == 1) return true;
  switch (call.kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
    case CollectiveKind::reduce:
    case CollectiveKind::allreduce:
    case CollectiveKind::reduce_scatter_block:
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      return call.size_bytes == 0;
    case CollectiveKind::allgatherv:
    case CollectiveKind::reduce_scatter:
      return blocks_bytes(call, 0, call.ranks) == 0;
    default:
      return false;
  }
}

bool is_neighbor(CollectiveKind kind) {
  return kind >= CollectiveKind::neighbor_allgather;
}

}  // namespace

void Overrides::add(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    throw InputError("", fmt::format("'{}' chooses no algorithm", text), "Write COLLECTIVE=ALGORITHM");
  const auto [kind, blocking] = collective_of(text.substr(0, equals));
  add_for(0, kind, blocking, text.substr(equals + 1));
}

void Overrides::add_for(std::int32_t number, CollectiveKind kind, bool blocking, std::string_view text) {
  std::vector<std::string> parts;
  boost::split(parts, text, boost::is_any_of(":"));
  if (parts.size() > 3)
    throw InputError("", fmt::format("'{}={}' has too many parts", collective_name(kind, blocking), text),
                     "Write COLLECTIVE=ALGORITHM:SEGMENT_BYTES:FAN");
  Choice choice{&algorithm(kind, parts[0])};
  if (parts.size() > 1) choice.segment_bytes = number_of<std::int64_t>(parts[1], "size of a segment");
  if (parts.size() > 2) choice.fan = number_of<int>(parts[2], "fan");
  if (choices_.try_emplace({number, kind, blocking}, choice).second) return;
  const std::string name = collective_name(kind, blocking);
  throw InputError("", fmt::format("'{}={}' is a second choice for {}", name, text, name),
                   "Give one for each operation");
}

const Choice* Overrides::of(const Call& call) const {
  const auto chosen = choices_.find({call.chosen, call.kind, call.blocking});
  if (chosen != choices_.end()) return &chosen->second;
  const auto found = choices_.find({0, call.kind, call.blocking});
  return found == choices_.end() ? nullptr : &found->second;
}

Decisions::Decisions(std::string_view mpi, Overrides overrides)
    : table_(DecisionTable::of(mpi)), overrides_(std::move(overrides)) {}

Choice Decisions::choose(const Call& call) const {
  Choice choice;
  if (is_empty(call) && !is_neighbor(call.kind)) {
    choice.algorithm = &algorithm(call.kind, "own_copy");
  } else if (const Choice* users = overrides_.of(call)) {
    choice = *users;
  } else {
    choice = table_.rule(call).choice;
  }
  choice.decisions = this;
  return choice.algorithm->effective(call, choice);
}

std::vector<std::string_view> mpi_names() {
  std::vector<std::string_view> names;
  for (const auto& file : table_files())
    names.push_back(file.first);
  return names;
}

std::string collective_name(CollectiveKind kind, bool blocking) {
  const std::string_view name = kind == CollectiveKind::broadcast ? "bcast" : to_string(kind);
  return fmt::format("{}{}", blocking ? "" : "i", name);
}

std::pair<CollectiveKind, bool> collective_of(std::string_view name) {
  for (int number = 0; number < static_cast<int>(collective_kinds); ++number) {
    const auto kind = static_cast<CollectiveKind>(number);
    for (const bool blocking : {true, false})
      if (collective_name(kind, blocking) == name) return {kind, blocking};
  }
  std::string known;
  for (int number = 0; number < static_cast<int>(collective_kinds); ++number)
    known += fmt::format("{}{}", number > 0 ? ", " : "",
                         collective_name(static_cast<CollectiveKind>(number), true));
  throw InputError("", fmt::format("there is no collective '{}'", name),
                   fmt::format("There are: {}; and each with an i before its name (MPI_Iallreduce)", known));
}

}  // namespace finegrain::collectives
