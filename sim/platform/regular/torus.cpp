// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "sim/platform/regular/wiring.hpp"

namespace finegrain::platform {

Torus::Torus(RegularCluster cluster, WiringParts parts) : Wiring(std::move(cluster), parts) {
  std::size_t stride = 1;
  for (const std::int64_t size : this->cluster().parameters.front()) {
    sizes_.push_back(static_cast<std::size_t>(size));
    strides_.push_back(stride);
    stride *= sizes_.back();
  }
}

std::size_t Torus::place(std::size_t host, std::size_t dimension) const {
  return host / strides_[dimension] % sizes_[dimension];
}

std::size_t Torus::next(std::size_t host, std::size_t dimension) const {
  const bool is_last = place(host, dimension) + 1 == sizes_[dimension];
  return host + strides_[dimension] - (is_last ? strides_[dimension] * sizes_[dimension] : 0);
}

std::size_t Torus::before(std::size_t host, std::size_t dimension) const {
  const bool is_first = place(host, dimension) == 0;
  return host - strides_[dimension] + (is_first ? strides_[dimension] * sizes_[dimension] : 0);
}

std::string Torus::cable_name(std::size_t cable) const {
  const std::size_t host = cable / sizes_.size();
  return fmt::format("{}_link_from_{}_to_{}", cluster().id, host, next(host, cable % sizes_.size()));
}

void Torus::add_way(std::size_t from, std::size_t to, Way& way) const {
  std::size_t at = from;
  for (std::size_t dimension = 0; dimension < sizes_.size(); ++dimension) {
    const std::size_t size = sizes_[dimension];
    const std::size_t begin = place(from, dimension);
    const std::size_t end = place(to, dimension);
    // Where both ways are equally long, SimGrid goes upwards, but not from the middle to place 0.
    const bool is_middle_to_0 = end == 0 && 2 * begin == size;
    const bool is_up = (end + size - begin) % size <= size / 2 && !is_middle_to_0;
    while (place(at, dimension) != end) {
      add_limiter_of_host(at, way);
      if (is_up) add_up(at * sizes_.size() + dimension, way);
      at = is_up ? next(at, dimension) : before(at, dimension);
      if (!is_up) add_down(at * sizes_.size() + dimension, way);
    }
  }
  add_limiter_of_host(to, way);
}

}  // namespace finegrain::platform
