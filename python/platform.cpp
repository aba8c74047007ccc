// SPDX-License-Identifier: MIT
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "python/data.hpp"
#include "sim/platform/cost_properties.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/platform_facts.hpp"

namespace py = pybind11;

namespace finegrain::python {
namespace {

struct ReadPlatform {
  platform::Platform platform;
  std::vector<platform::CostProperty> properties;
  platform::PlatformFacts facts;
};

ReadPlatform platform_from(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return {platform::read_platform(file, overrides), platform::read_cost_properties(file, overrides),
          platform::platform_facts(file)};
}

const char* unit_of(platform::CostUnit unit) {
  switch (unit) {
    case platform::CostUnit::bandwidth:
      return "_bytes_per_s";
    case platform::CostUnit::time:
      return "_s";
    case platform::CostUnit::size:
      return "_bytes";
  }
  return "";
}

/// None: nobody gave it, and nothing is taken instead.
py::dict properties_of(const ReadPlatform& read) {
  py::dict values;
  for (const platform::CostProperty& property : read.properties)
    values[py::str(std::string(property.name) + unit_of(property.unit))] = py::cast(property.value());
  return values;
}

}  // namespace

void add_platform(py::module_& module) {
  py::class_<ReadPlatform>(module, "Platform", "A machine: a SimGrid platform file and what it costs there.")
      .def_property_readonly(
          "name", [](const ReadPlatform& read) { return read.platform.name; }, "The file's name.")
      .def_property_readonly(
          "file", [](const ReadPlatform& read) { return read.platform.file.string(); }, "Its path.")
      .def_property_readonly(
          "properties", properties_of,
          "The costs of memory and messages, units in their names; None where the file has none.")
      .def_property_readonly(
          "cores", [](const ReadPlatform& read) { return read.facts.cores; },
          "Cores of a node, if the file says so.")
      .def_property_readonly(
          "sockets", [](const ReadPlatform& read) { return read.platform.sockets; }, "Sockets of a node.")
      .def_property_readonly(
          "mpi", [](const ReadPlatform& read) { return read.platform.mpi; },
          "The MPI library whose collective operations are replayed there.")
      .def("__fspath__", [](const ReadPlatform& read) { return read.platform.file.string(); })
      .def("__repr__", [](const ReadPlatform& read) {
        return "<finegrain.Platform " + read.platform.name + ": " + read.platform.file.string() + ">";
      });
  module.def("read_platform", platform_from, py::arg("file"),
             py::arg("overrides") = std::vector<std::string>(), py::call_guard<py::gil_scoped_release>());
}

}  // namespace finegrain::python
