// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

namespace finegrain::python {

/// Platforms, matrices, traces, schedules, and their counts.
void add_platform(pybind11::module_& module);
void add_matrix(pybind11::module_& module);
void add_trace(pybind11::module_& module);
void add_schedule(pybind11::module_& module);
void add_counts(pybind11::module_& module);

}  // namespace finegrain::python
