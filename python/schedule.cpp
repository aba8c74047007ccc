// SPDX-License-Identifier: MIT
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <utility>

#include "python/arrays.hpp"
#include "python/data.hpp"
#include "python/operations.hpp"
#include "python/workload.hpp"
#include "sim/policy/policy.hpp"

namespace py = pybind11;

namespace finegrain::python {
namespace {

/// What a rank posts: a row of the array.
struct Message {
  std::int32_t rank;
  std::int32_t peer;
  std::int64_t size_bytes;
  std::int64_t repeat;
  std::int32_t tag;
  std::int32_t communicator;
  std::uint8_t kind;
};

/// What every rank does in one iteration, and where it is.
struct ComputedSchedule {
  Schedule schedule;
  std::vector<std::int32_t> nodes;  ///< shape [ranks]

  explicit ComputedSchedule(const Workload& workload)
      : schedule(policy::make_schedule(*workload.pattern, workload.run)) {
    const problem::Placement placement = placement_by(workload.placement, schedule);
    for (int rank = 0; rank < workload.run.ranks; ++rank)
      nodes.push_back(placement.node(rank));
  }

  const Body& body(int rank) const { return schedule.ranks[static_cast<std::size_t>(rank)]; }
};

std::vector<OperationRow> operations_of(const ComputedSchedule& computed, const std::vector<int>& ranks) {
  std::size_t count = 0;
  for (const int rank : ranks)
    count += computed.body(rank).operations.size();
  std::vector<OperationRow> rows;
  rows.reserve(count);
  for (const int rank : ranks)
    add_rows(computed.body(rank), rank, rows);
  return rows;
}

std::vector<Message> messages_of(const ComputedSchedule& computed, const std::vector<int>& ranks) {
  std::vector<Message> messages;
  for (const int rank : ranks) {
    for_each_post(computed.body(rank).operations, [&](const Post& post) {
      messages.push_back({.rank = rank,
                          .peer = post.peer,
                          .size_bytes = post.size_bytes,
                          .repeat = post.repeat,
                          .tag = post.tag,
                          .communicator = post.communicator,
                          .kind = static_cast<std::uint8_t>(post.kind)});
    });
  }
  return messages;
}

/// rows(computed, ranks) as an array, made without the interpreter's lock.
template <class Rows>
py::array rows_of(const ComputedSchedule& computed, std::optional<std::int64_t> rank, const Rows& rows) {
  const std::vector<int> ranks = asked_ranks(rank, computed.schedule.run.ranks);
  auto made = [&] {
    const py::gil_scoped_release released;
    return rows(computed, ranks);
  }();
  return array_of(std::move(made));
}

}  // namespace

void add_schedule(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(Message, rank, peer, size_bytes, repeat, tag, communicator, kind);
  py::class_<ComputedSchedule>(module, "Schedule", "What every rank does in one iteration, computed.")
      .def_property_readonly("ranks", [](const ComputedSchedule& self) { return self.schedule.run.ranks; })
      .def_property_readonly("ranks_per_node",
                             [](const ComputedSchedule& self) { return self.schedule.run.ranks_per_node; })
      .def_property_readonly(
          "run", [](const ComputedSchedule& self) { return describe(self.schedule.run); }, "What runs.")
      .def_property_readonly(
          "nodes",
          [](const py::object& self) {
            return view_of<std::int32_t>(self, self.cast<const ComputedSchedule&>().nodes);
          },
          "The node that each rank is on, shape [ranks], not copied.")
      .def_readonly_static("kinds", new py::object(py::cast(kinds())))
      .def_property_readonly(
          "regions", [](const ComputedSchedule&) { return region_names(); },
          "The names of regions, by the numbers that the arrays give. Others that this process has given are "
          "among them.")
      .def(
          "operations",
          [](const ComputedSchedule& self, std::optional<std::int64_t> rank) {
            return rows_of(self, rank, operations_of);
          },
          py::arg("rank") = py::none(),
          "The operations of all ranks, or of one: a read-only structured array. A row is an operation, in "
          "the order\n"
          "of each rank's program. `kind` is an index into Schedule.kinds, and `region` one into "
          "Schedule.regions. A row\n"
          "takes 144 bytes.")
      .def(
          "messages",
          [](const ComputedSchedule& self, std::optional<std::int64_t> rank) {
            return rows_of(self, rank, messages_of);
          },
          py::arg("rank") = py::none(),
          "The transfers that all ranks post, or one: a read-only structured array with a row for each. It "
          "has the\n"
          "columns of Trace.messages() without iteration and times. Both ends post a send and its receive. A "
          "row takes\n"
          "40 bytes.")
      .def(
          "sizes",
          [](const py::object& self, std::int64_t rank) {
            const auto& computed = self.cast<const ComputedSchedule&>();
            const int asked = asked_ranks(rank, computed.schedule.run.ranks).front();
            return view_of<std::int64_t>(self, computed.body(asked).sizes);
          },
          py::arg("rank"),
          "Bytes that a rank's collective operations name for each rank, where these differ: `size_count` of "
          "them from\n"
          "`first_size` on belong to an operation. It is not copied.")
      .def("__repr__", [](const ComputedSchedule& self) {
        return "<finegrain.Schedule " + describe(self.schedule.run) + ", " +
               std::to_string(self.schedule.run.ranks) + " ranks>";
      });
  module.def(
      "schedule", [](const Options& options) { return ComputedSchedule(workload_of(options)); },
      py::arg("options"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace finegrain::python
