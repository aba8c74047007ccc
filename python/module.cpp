// SPDX-License-Identifier: MIT
// The part of the package that is C++. What users call is in finegrain/__init__.py.
#include <pybind11/pybind11.h>

#include "python/data.hpp"
#include "python/operations.hpp"
#include "traces/io/input_error.hpp"

PYBIND11_MODULE(_finegrain, module) {
  using namespace finegrain;
  module.doc() = "The part of finegrain that is C++.";
  module.attr("__version__") = FINEGRAIN_VERSION;
  pybind11::register_exception<InputError>(module, "InputError", PyExc_ValueError).attr("__doc__") =
      "What was given cannot be used. The text says where, what is wrong, and what to do.";
  python::register_rows();
  python::add_platform(module);
  python::add_matrix(module);
  python::add_trace(module);
  python::add_schedule(module);
  python::add_counts(module);
}
