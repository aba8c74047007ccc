// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <utility>
#include <vector>

namespace finegrain::python {

/// A vector as an array that owns it: nothing is copied.
template <class Value>
pybind11::array_t<Value> array_of(std::vector<Value> values, std::vector<pybind11::ssize_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<pybind11::ssize_t>(values.size())};
  auto kept = std::make_unique<std::vector<Value>>(std::move(values));
  const Value* const data = kept->data();
  const pybind11::capsule owner(kept.release(),
                                [](void* vector) { delete static_cast<std::vector<Value>*>(vector); });
  return pybind11::array_t<Value>(std::move(shape), data, owner);
}

}  // namespace finegrain::python
