// SPDX-License-Identifier: MIT
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <optional>

#include "python/arrays.hpp"
#include "python/data.hpp"
#include "python/operations.hpp"
#include "traces/places/place_names.hpp"
#include "traces/trace_reader.hpp"

namespace py = pybind11;

namespace finegrain::python {
namespace {

/// What a rank posted: a row of the array.
struct RecordedMessage {
  std::int32_t rank;
  std::int32_t peer;
  std::int64_t iteration;
  std::int64_t size_bytes;
  std::int64_t repeat;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::int32_t tag;
  std::int32_t communicator;
  std::uint8_t kind;
};

struct RecordedTrace {
  Trace trace;
  std::string path;
};

void add_messages(const Trace& trace, int rank, std::vector<RecordedMessage>& messages) {
  Trace::RankReader reader = trace.rank(rank);
  std::int64_t number = 0;
  while (const std::optional<RecordedIteration> iteration = reader.next()) {
    std::size_t post = 0;
    for (const Operation& operation : iteration->body.operations) {
      const auto* posted = std::get_if<Post>(&operation);
      if (posted == nullptr) continue;
      const Interval time = iteration->posts.at(post++);
      messages.push_back({.rank = rank,
                          .peer = posted->peer,
                          .iteration = number,
                          .size_bytes = posted->size_bytes,
                          .repeat = posted->repeat,
                          .start_ns = time.start_ns,
                          .end_ns = time.end_ns,
                          .tag = posted->tag,
                          .communicator = posted->communicator,
                          .kind = static_cast<std::uint8_t>(posted->kind)});
    }
    ++number;
  }
}

std::vector<RecordedMessage> recorded_messages(const RecordedTrace& recorded, const std::vector<int>& ranks) {
  std::vector<RecordedMessage> messages;
  for (const int rank : ranks)
    add_messages(recorded.trace, rank, messages);
  return messages;
}

/// Sizes of the rank's collective operations are numbered from its first operation on, as in sizes_of().
void add_operations(const Trace& trace, int rank, std::vector<RecordedRow>& rows) {
  Trace::RankReader reader = trace.rank(rank);
  std::int64_t number = 0;
  std::int64_t sizes_before = 0;
  std::vector<OperationRow> body;
  while (const std::optional<RecordedIteration> iteration = reader.next()) {
    body.clear();
    add_rows(iteration->body, rank, body);
    std::size_t post = 0;
    for (OperationRow& row : body) {
      const bool is_post = row.kind <= static_cast<std::uint8_t>(TransferKind::fetch);
      const Interval time =
          is_post ? iteration->posts.at(post++) : iteration->regions.at(static_cast<std::size_t>(row.step));
      if (row.size_count > 0) row.first_size += sizes_before;
      rows.push_back({row, number, time.start_ns, time.end_ns});
    }
    sizes_before += static_cast<std::int64_t>(iteration->body.sizes.size());
    ++number;
  }
}

std::vector<RecordedRow> recorded_operations(const RecordedTrace& recorded, const std::vector<int>& ranks) {
  std::vector<RecordedRow> rows;
  for (const int rank : ranks)
    add_operations(recorded.trace, rank, rows);
  return rows;
}

/// The sizes that all collective operations of a rank name.
std::vector<std::int64_t> sizes_of(const RecordedTrace& recorded, int rank) {
  Trace::RankReader reader = recorded.trace.rank(rank);
  std::vector<std::int64_t> sizes;
  while (const std::optional<RecordedIteration> iteration = reader.next())
    sizes.insert(sizes.end(), iteration->body.sizes.begin(), iteration->body.sizes.end());
  return sizes;
}

/// rows(recorded, ranks), made without the interpreter's lock.
template <class Rows>
auto rows_of(const RecordedTrace& recorded, std::optional<std::int64_t> rank, const Rows& rows) {
  const std::vector<int> ranks = asked_ranks(rank, recorded.trace.manifest().run.ranks);
  const py::gil_scoped_release released;
  return rows(recorded, ranks);
}

}  // namespace

void add_trace(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(RecordedMessage, rank, peer, iteration, size_bytes, repeat, start_ns, end_ns, tag,
                       communicator, kind);
  py::class_<RecordedTrace>(module, "Trace", "A recorded run.")
      .def_property_readonly(
          "ranks", [](const RecordedTrace& recorded) { return recorded.trace.manifest().run.ranks; })
      .def_property_readonly(
          "ranks_per_node",
          [](const RecordedTrace& recorded) { return recorded.trace.manifest().run.ranks_per_node; })
      .def_property_readonly(
          "run", [](const RecordedTrace& recorded) { return describe(recorded.trace.manifest().run); },
          "What ran.")
      .def_property_readonly(
          "environment", [](const RecordedTrace& recorded) { return recorded.trace.manifest().environment; },
          "Where it ran: processor, cores, MPI, compiler.")
      .def_readonly_static("kinds", new py::object(py::cast(kinds())))
      .def(
          "messages",
          [](const RecordedTrace& recorded, std::optional<std::int64_t> rank) {
            return array_of(rows_of(recorded, rank, recorded_messages));
          },
          py::arg("rank") = py::none(),
          "What all ranks posted, or one: a read-only structured array, a row a message, in the order of "
          "each rank's\n"
          "program. `kind` is an index into Trace.kinds. Times are on rank 0's clock. A row takes 64 bytes: "
          "read a long\n"
          "trace rank by rank.")
      .def_property_readonly(
          "regions", [](const RecordedTrace&) { return region_names(); },
          "The names of regions, by the numbers that operations() gave. Others that this process has given "
          "are "
          "among them.")
      .def(
          "operations",
          [](const RecordedTrace& recorded, std::optional<std::int64_t> rank) {
            return array_of(rows_of(recorded, rank, recorded_operations), {}, recorded_row_type());
          },
          py::arg("rank") = py::none(),
          "What all ranks did, or one: a read-only structured array, a row an operation, in the order of "
          "each rank's\n"
          "program. It has the columns of Schedule.operations(), then the iteration and the times on rank "
          "0's clock: of a\n"
          "transfer its own, of all else its region's. A row takes 160 bytes: read a long trace rank by "
          "rank.")
      .def(
          "sizes",
          [](const RecordedTrace& recorded, std::int64_t rank) {
            return array_of(
                rows_of(recorded, rank, [](const RecordedTrace& trace, const std::vector<int>& ranks) {
                  return sizes_of(trace, ranks.front());
                }));
          },
          py::arg("rank"),
          "Bytes that a rank's collective operations name for each rank, where these differ, as "
          "Schedule.sizes() gives\n"
          "them.")
      .def("__fspath__", [](const RecordedTrace& recorded) { return recorded.path; })
      .def("__repr__", [](const RecordedTrace& recorded) {
        const Run& run = recorded.trace.manifest().run;
        return "<finegrain.Trace " + recorded.path + ": " + describe(run) + ", " + std::to_string(run.ranks) +
               " ranks>";
      });
  module.def(
      "read_trace",
      [](const std::filesystem::path& path, bool by_place) {
        return RecordedTrace{by_place ? places::open_by_place(path) : Trace(path), path.string()};
      },
      py::arg("path"), py::arg("by_place"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace finegrain::python
