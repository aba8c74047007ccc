// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace finegrain::python {

/// C++ memory as an array that cannot be written to and keeps its owner alive: nothing is copied.
/// @param type  the values', if it is not numpy's own of that C++ type
template <class Value>
pybind11::array view_of(const pybind11::object& owner, std::span<const Value> values,
                        std::vector<pybind11::ssize_t> shape = {},
                        const pybind11::dtype& type = pybind11::dtype::of<Value>()) {
  if (shape.empty()) shape = {static_cast<pybind11::ssize_t>(values.size())};
  pybind11::array array(type, std::move(shape), {}, values.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

/// A vector as such an array, which owns it.
template <class Value>
pybind11::array array_of(std::vector<Value> values, std::vector<pybind11::ssize_t> shape = {},
                         const pybind11::dtype& type = pybind11::dtype::of<Value>()) {
  auto kept = std::make_unique<std::vector<Value>>(std::move(values));
  const std::span<const Value> view = *kept;
  const pybind11::capsule owner(kept.release(),
                                [](void* vector) { delete static_cast<std::vector<Value>*>(vector); });
  return view_of(owner, view, std::move(shape), type);
}

}  // namespace finegrain::python
