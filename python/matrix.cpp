// SPDX-License-Identifier: MIT
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <exception>
#include <optional>
#include <thread>
#include <variant>

#include "kernels/problem/matrix_file.hpp"
#include "kernels/problem/matrix_source.hpp"
#include "python/arrays.hpp"
#include "python/data.hpp"
#include "traces/io/input_error.hpp"

namespace py = pybind11;

namespace finegrain::python {
namespace {

/// A matrix file, which is mapped, or what was made of a mesh.
struct Matrix {
  std::variant<problem::MatrixFile, problem::MadeMatrix> from;
  std::string file;

  problem::EllpackView view() const {
    if (const auto* mapped = std::get_if<problem::MatrixFile>(&from)) return mapped->view();
    return std::get<problem::MadeMatrix>(from).matrix.view();
  }
  const std::string& description() const {
    if (const auto* mapped = std::get_if<problem::MatrixFile>(&from)) return mapped->description();
    return std::get<problem::MadeMatrix>(from).description;
  }
};

/// In a thread of its own: a process whose own thread has used OpenMP cannot be forked into one that uses it,
/// too.
problem::MadeMatrix make(const problem::MatrixSource& source) {
  std::optional<problem::MadeMatrix> made;
  std::exception_ptr failure;
  std::thread([&] {
    try {
      made = make_matrix(source);
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
  return std::move(*made);
}

Matrix matrix_from(const std::filesystem::path& path, std::int64_t tets,
                   const std::optional<std::string>& order) {
  if (path.empty() == (tets == 0))
    throw InputError("read_matrix", "what? Give a path, or tets, and not both");
  if (path.extension() == ".fgm") {
    if (order) throw InputError("order", "the rows of " + path.string() + " have theirs", "Leave it out");
    return {problem::MatrixFile(path), path.string()};
  }
  problem::MatrixSource source;
  source.tets = tets;
  source.input = path;
  if (order) source.order = problem::parse_row_order(*order);
  problem::MadeMatrix made = make(source);
  for (const std::string& note : made.notes) {
    const py::gil_scoped_acquire python;
    if (PyErr_WarnEx(PyExc_UserWarning, note.c_str(), 1) != 0) throw py::error_already_set();
  }
  return {std::move(made), ""};
}

std::vector<py::ssize_t> rows_by_entries(const problem::EllpackView& matrix) {
  return {static_cast<py::ssize_t>(matrix.rows), matrix.r_nz};
}

}  // namespace

void add_matrix(py::module_& module) {
  py::class_<Matrix>(module, "Matrix",
                     "A sparse matrix: its diagonal, and as many other entries in every row.")
      .def_property_readonly("rows", [](const Matrix& matrix) { return matrix.view().rows; })
      .def_property_readonly("description", &Matrix::description, "How it was made.")
      .def_property_readonly(
          "diagonal",
          [](const py::object& self) {
            const problem::EllpackView matrix = self.cast<const Matrix&>().view();
            return view_of(self, matrix.diagonal, {static_cast<py::ssize_t>(matrix.rows)});
          },
          "Shape [rows], not copied.")
      .def_property_readonly(
          "columns",
          [](const py::object& self) {
            const problem::EllpackView matrix = self.cast<const Matrix&>().view();
            return view_of(self, matrix.columns, rows_by_entries(matrix));
          },
          "Column of every other entry, shape [rows, entries], not copied. A row's own number: no entry.")
      .def_property_readonly(
          "values",
          [](const py::object& self) {
            const problem::EllpackView matrix = self.cast<const Matrix&>().view();
            return view_of(self, matrix.values, rows_by_entries(matrix));
          },
          "Value of every other entry, shape [rows, entries], not copied.")
      .def("__fspath__",
           [](const Matrix& matrix) {
             if (matrix.file.empty())
               throw InputError("matrix", "it is no file yet",
                                "Make one: finegrain.mesh(out='heart.fgm', ...)");
             return matrix.file;
           })
      .def("__repr__",
           [](const Matrix& matrix) { return "<finegrain.Matrix " + matrix.description() + ">"; });
  module.def("read_matrix", matrix_from, py::arg("path") = std::filesystem::path(), py::kw_only(),
             py::arg("tets") = 0, py::arg("order") = py::none(), py::call_guard<py::gil_scoped_release>());
}

}  // namespace finegrain::python
