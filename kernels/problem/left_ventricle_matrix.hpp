// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/row_order.hpp"

namespace finegrain {

/// The diffusion matrix of the left-ventricle mesh, from the generator to the ordered rows.
/// @param seed  of the mesh, and of the order `random`
/// @param on_step  called with a step's name when it is done
/// @throws InputError if tets < 1 or > max_tets
EllpackMatrix left_ventricle_matrix(
    std::int64_t tets, RowOrder order, std::uint64_t seed,
    const std::function<void(std::string_view step)>& on_step = [](std::string_view) {});

}  // namespace finegrain
