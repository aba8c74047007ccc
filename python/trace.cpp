// SPDX-License-Identifier: MIT
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <optional>

#include "python/arrays.hpp"
#include "python/data.hpp"
#include "traces/trace_reader.hpp"

namespace py = pybind11;

namespace finegrain::python {
namespace {

/// What a rank posted: a row of the array.
struct Message {
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

void add_messages(const Trace& trace, int rank, std::vector<Message>& messages) {
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

std::vector<Message> messages_of(const RecordedTrace& recorded, std::optional<int> only) {
  std::vector<Message> messages;
  const int ranks = recorded.trace.manifest().run.ranks;
  for (int rank = only.value_or(0); rank < (only ? *only + 1 : ranks); ++rank)
    add_messages(recorded.trace, rank, messages);
  return messages;
}

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (auto kind = TransferKind::send; kind <= TransferKind::fetch;
       kind = static_cast<TransferKind>(static_cast<int>(kind) + 1))
    names.emplace_back(to_string(kind));
  return names;
}

}  // namespace

void add_trace(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(Message, rank, peer, iteration, size_bytes, repeat, start_ns, end_ns, tag,
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
          [](const RecordedTrace& recorded, std::optional<int> rank) {
            std::vector<Message> messages;
            {
              const py::gil_scoped_release released;
              messages = messages_of(recorded, rank);
            }
            return array_of(std::move(messages));
          },
          py::arg("rank") = py::none(),
          "What all ranks posted, or one: a structured array, a row a message, in the order of each rank's "
          "program.\n"
          "`kind` is an index into Trace.kinds. Times are on rank 0's clock. A row takes 64 bytes: read a "
          "long trace\n"
          "rank by rank.")
      .def("__fspath__", [](const RecordedTrace& recorded) { return recorded.path; })
      .def("__repr__", [](const RecordedTrace& recorded) {
        const Run& run = recorded.trace.manifest().run;
        return "<finegrain.Trace " + recorded.path + ": " + describe(run) + ", " + std::to_string(run.ranks) +
               " ranks>";
      });
  module.def(
      "read_trace",
      [](const std::filesystem::path& path) {
        return RecordedTrace{Trace(path), path.string()};
      },
      py::arg("path"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace finegrain::python
