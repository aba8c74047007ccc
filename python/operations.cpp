// SPDX-License-Identifier: MIT
#include "python/operations.hpp"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <numeric>
#include <span>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace py = pybind11;

namespace finegrain::python {
namespace {

constexpr auto transfer_kinds = static_cast<std::uint8_t>(TransferKind::fetch) + 1;
enum OtherKind : std::uint8_t {
  work_kind = transfer_kinds,
  complete_kind,
  lock_kind,
  unlock_kind,
  barrier_kind
};

/// The regions that rows have named, each with a number of its own.
class NumberedRegions {
 public:
  std::uint16_t number(RegionName region) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = numbers_.emplace(region, static_cast<std::uint16_t>(names_.size()));
    if (is_new) names_.emplace_back(region.text());
    return known->second;
  }
  std::vector<std::string> names() {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  std::mutex mutex_;
  std::map<RegionName, std::uint16_t> numbers_;  // there are at most RegionName::most_names
  std::vector<std::string> names_;
};

NumberedRegions& numbered_regions() {
  static NumberedRegions all;
  return all;
}

/// Fills in what an operation of each kind says of itself.
struct Fill {
  OperationRow& row;

  void operator()(const Work& work) const {
    row.kind = work_kind;
    row.memory_bytes = work.memory_bytes;
    row.scattered_stores = work.scattered_stores;
    row.copied_bytes = work.copied_bytes;
    row.timed = work.is_timed;
    row.calls = work.calls;
    row.comparisons = work.steps;
    row.shared_references = work.shared_references;
    row.affinity_tests = work.affinity_tests;
  }
  void operator()(const Post& post) const {
    row.kind = static_cast<std::uint8_t>(post.kind);
    row.blocking = !makes_request(post);
    row.private_memory = post.private_memory;
    row.synchronous = post.is_synchronous;
    row.buffered = post.is_buffered;
    row.any_source = post.any_source;
    row.any_tag = post.any_tag;
    row.peer = post.peer;
    row.tag = post.tag;
    row.communicator = post.communicator;
    row.size_bytes = post.size_bytes;
    row.repeat = post.repeat;
  }
  void operator()(const Complete& complete) const {
    row.kind = complete_kind;
    row.blocking = true;
    row.oldest = complete.oldest;
    row.count = complete.count;
  }
  void operator()(const Collective& collective) const {
    row.kind = static_cast<std::uint8_t>(barrier_kind + static_cast<int>(collective.kind));
    row.blocking = collective.blocking;
    row.posted = collective.posted;
    row.commutative = collective.commutative;
    row.peer = collective.root;
    row.communicator = collective.communicator;
    row.size_bytes = collective.size_bytes;
    row.repeat = 1;
    row.element_bytes = collective.element_bytes;
    row.first_size = collective.first_size;
    row.size_count = collective.size_count;
  }
  void operator()(const Lock& lock) const {
    row.kind = lock.acquire ? lock_kind : unlock_kind;
    row.blocking = true;
    row.exclusive = lock.exclusive;
    row.peer = lock.peer;
    row.communicator = lock.window;
  }
};

}  // namespace

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (int kind = 0; kind < transfer_kinds; ++kind)
    names.emplace_back(to_string(static_cast<TransferKind>(kind)));
  names.insert(names.end(), {"work", "complete", "lock", "unlock"});
  for (std::size_t kind = 0; kind < collective_kinds; ++kind)
    names.emplace_back(to_string(static_cast<CollectiveKind>(kind)));
  return names;
}

std::vector<std::string> region_names() {
  return numbered_regions().names();
}

void add_rows(const Body& body, int rank, std::vector<OperationRow>& rows) {
  std::int32_t step = 0;
  for (const Region& region : body.regions) {
    const std::uint16_t number = numbered_regions().number(region.name);
    for (const Operation& operation : body.operations_of(region)) {
      OperationRow& row = rows.emplace_back();
      row.rank = rank;
      row.step = step;
      row.region = number;
      std::visit(Fill{row}, operation);
    }
    ++step;
  }
}

void register_rows() {
  PYBIND11_NUMPY_DTYPE(OperationRow, rank, step, region, kind, blocking, peer, tag, communicator, size_bytes,
                       repeat, memory_bytes, scattered_stores, copied_bytes, calls, comparisons,
                       shared_references, affinity_tests, oldest, count, first_size, size_count,
                       element_bytes, timed, private_memory, synchronous, buffered, any_source, any_tag,
                       exclusive, commutative, posted);
}

py::dtype recorded_row_type() {
  py::list names;
  py::list formats;
  py::list offsets;
  const py::dtype type = py::dtype::of<OperationRow>();
  for (const py::handle name : type.attr("names")) {
    const py::tuple field = type.attr("fields")[name];
    names.append(name);
    formats.append(field[0]);
    offsets.append(field[1]);
  }
  const auto add = [&](const char* name, std::size_t offset) {
    names.append(name);
    formats.append(py::dtype::of<std::int64_t>());
    offsets.append(offset);
  };
  add("iteration", offsetof(RecordedRow, iteration));
  add("start_ns", offsetof(RecordedRow, start_ns));
  add("end_ns", offsetof(RecordedRow, end_ns));
  return {names, formats, offsets, sizeof(RecordedRow)};
}

std::vector<int> asked_ranks(std::optional<std::int64_t> rank, int ranks) {
  if (!rank) {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  if (*rank < 0 || *rank >= ranks)
    throw InputError("--rank", fmt::format("{} is not one of {}", *rank, format_count(ranks, "rank")),
                     fmt::format("Give 0 to {}", ranks - 1));
  return {static_cast<int>(*rank)};
}

}  // namespace finegrain::python
