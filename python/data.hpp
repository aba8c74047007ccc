// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

namespace finegrain::python {

/// Platforms, matrices, traces, and the counts of a schedule.
void add_platform(pybind11::module_& module);
void add_matrix(pybind11::module_& module);
void add_trace(pybind11::module_& module);
void add_counts(pybind11::module_& module);

}  // namespace finegrain::python
