// SPDX-License-Identifier: MIT
#include "kernels/problem/left_ventricle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kernels/problem/face_neighbours.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

using namespace left_ventricle_shape;

constexpr double middle_radius_mm = (endocardium_radius_mm + epicardium_radius_mm) / 2;
constexpr double middle_half_length_mm = (endocardium_half_length_mm + epicardium_half_length_mm) / 2;
constexpr double thickness_mm = epicardium_radius_mm - endocardium_radius_mm;

/// Volume below the base plane of an ellipsoid of revolution: the integral of pi r^2 (1 - z^2 / c^2) from -c
/// to base.
double volume_mm3(double radius_mm, double c) {
  const double integral = base_mm + c - (std::pow(base_mm, 3) + std::pow(c, 3)) / (3 * c * c);
  return std::numbers::pi * radius_mm * radius_mm * integral;
}

/// Angle from the apex at which an ellipse reaches the base: z = -c cos(angle).
double base_angle(double half_length_mm) {
  return std::acos(-base_mm / half_length_mm);
}

/// The meridian half-way through the wall, from apex to base, by arc length: rings that are equidistant along
/// it keep the elements of one size, which equal angles would not (the ellipse is twice as long as wide).
class Meridian {
 public:
  Meridian() {
    const double step = base_angle(middle_half_length_mm) / steps;
    for (std::size_t i = 0; i < steps; ++i) {
      const double angle = (static_cast<double>(i) + 0.5) * step;
      const double speed =
          std::hypot(middle_radius_mm * std::cos(angle), middle_half_length_mm * std::sin(angle));
      length_mm_[i + 1] = length_mm_[i] + speed * step;
    }
  }

  double length_mm() const { return length_mm_.back(); }

  /// Angle, as a fraction of the base's, at a fraction of the arc length.
  double angle_fraction(double length_fraction) const {
    const double target = std::clamp(length_fraction, 0.0, 1.0) * length_mm();
    const auto above = std::lower_bound(length_mm_.begin() + 1, length_mm_.end() - 1, target);
    const auto i = static_cast<double>(above - length_mm_.begin());
    return (i - (*above - target) / (*above - *(above - 1))) / steps;
  }

 private:
  static constexpr std::size_t steps = 2048;
  std::array<double, steps + 1> length_mm_{};
};

/// Half the side of the O-grid's middle block, as a fraction of the meridian. Its four sides are as long as
/// the equator, so that rings keep the width of their elements from the block to the base.
double block_half_width(const Meridian& meridian) {
  return 2 * std::numbers::pi * middle_radius_mm / 8 / meridian.length_mm();
}

/// The O-grid's vertices in the unit disc: centre = apex, edge = base; first the middle block row by row,
/// then ring after ring, counter-clockwise.
class Disc {
 public:
  explicit Disc(const LeftVentricleGrid& grid) : block_(grid.block), rings_(grid.rings) {}

  std::int64_t vertices() const { return in_block() + rings_ * 4 * block_; }

  /// Vertices of a quadrilateral, counter-clockwise; those of the block come first, then ring after ring.
  std::array<std::int64_t, 4> quadrilateral(std::int64_t index) const {
    if (index < block_ * block_) {
      const std::int64_t lower_left = index / block_ * (block_ + 1) + index % block_;
      return {lower_left, lower_left + 1, lower_left + block_ + 2, lower_left + block_ + 1};
    }
    const std::int64_t around = 4 * block_;
    const std::int64_t ring = (index - block_ * block_) / around;
    const std::int64_t here = (index - block_ * block_) % around;
    const std::int64_t next = (here + 1) % around;
    return {on_ring(ring, here), on_ring(ring + 1, here), on_ring(ring + 1, next), on_ring(ring, next)};
  }

  struct Position {
    double x;
    double y;
  };

  Position position(std::int64_t vertex, double half_width) const {
    const auto block = static_cast<double>(block_);
    if (vertex < in_block()) {
      return {half_width * (2 * static_cast<double>(vertex % (block_ + 1)) / block - 1),
              half_width * (2 * static_cast<double>(vertex / (block_ + 1)) / block - 1)};
    }
    const std::int64_t ring = (vertex - in_block()) / (4 * block_) + 1;
    const std::int64_t here = (vertex - in_block()) % (4 * block_);
    const Position inner = position(on_ring(0, here), half_width);
    const double angle = std::numbers::pi * (static_cast<double>(here) / (2 * block) - 0.75);
    const double out = static_cast<double>(ring) / static_cast<double>(rings_);
    return {(1 - out) * inner.x + out * std::cos(angle), (1 - out) * inner.y + out * std::sin(angle)};
  }

 private:
  std::int64_t in_block() const { return (block_ + 1) * (block_ + 1); }

  /// Ring 0 is the edge of the block, walked from its lower left corner.
  std::int64_t on_ring(std::int64_t ring, std::int64_t here) const {
    if (ring > 0) return in_block() + (ring - 1) * 4 * block_ + here;
    const std::int64_t along = here % block_;
    const std::int64_t side = block_ + 1;
    switch (here / block_) {
      case 0:
        return along;
      case 1:
        return along * side + block_;
      case 2:
        return block_ * side + block_ - along;
      default:
        return (block_ - along) * side;
    }
  }

  std::int64_t block_;
  std::int64_t rings_;
};

/// SplitMix64 (Steele, Lea, Flood 2014): scrambles a vertex number into its priority.
std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

/// Which of two vertices a cut starts from. scramble() maps one to one, so there are no ties.
class Priority {
 public:
  explicit Priority(std::uint64_t seed) : offset_(scramble(seed + 0x9e3779b97f4a7c15U)) {}
  std::uint64_t operator()(std::int32_t vertex) const {
    return scramble(offset_ + static_cast<std::uint64_t>(vertex));
  }

 private:
  std::uint64_t offset_;
};

template <std::size_t Count>
std::size_t highest(const std::array<std::uint64_t, Count>& priorities) {
  return static_cast<std::size_t>(std::max_element(priorities.begin(), priorities.end()) -
                                  priorities.begin());
}

/// Corners 0-3 lie counter-clockwise on one side, 4-7 opposite to them. Faces are counter-clockwise from
/// outside.
using Hexahedron = std::array<std::int32_t, 8>;
constexpr std::array<std::array<std::size_t, 4>, 6> faces{
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};

/// Pulls the corner of highest priority: it is joined to the two triangles of each of the three faces that it
/// is not on. This cuts its own three faces along the diagonals that start at it, and the neighbours cut
/// these faces in the same way.
std::array<Tet, 6> cut(const Hexahedron& hexahedron, const Priority& priority) {
  std::array<std::uint64_t, 8> priorities{};
  std::transform(hexahedron.begin(), hexahedron.end(), priorities.begin(), priority);
  const std::size_t pulled = highest(priorities);
  std::array<Tet, 6> tets{};
  std::size_t count = 0;
  for (const auto& face : faces) {
    if (std::find(face.begin(), face.end(), pulled) != face.end()) continue;
    const std::size_t start = highest(
        std::array{priorities[face[0]], priorities[face[1]], priorities[face[2]], priorities[face[3]]});
    const auto corner = [&](std::size_t after) { return hexahedron[face[(start + after) % 4]]; };
    tets[count++] = {hexahedron[pulled], corner(0), corner(1), corner(2)};
    tets[count++] = {hexahedron[pulled], corner(0), corner(2), corner(3)};
  }
  return tets;
}

/// Layer 0 is the epicardium: counter-clockwise quadrilaterals and layers that go inwards make right-handed
/// hexahedra.
std::vector<Point> vertices(const LeftVentricleGrid& grid) {
  const Meridian meridian;
  const Disc disc(grid);
  const double half_width = block_half_width(meridian);
  std::vector<Point> result(static_cast<std::size_t>(disc.vertices() * (grid.layers + 1)));
#pragma omp parallel for
  for (std::int64_t v = 0; v < disc.vertices(); ++v) {
    const auto [x, y] = disc.position(v, half_width);
    const double from_apex = std::hypot(x, y);
    const double fraction = meridian.angle_fraction(from_apex);
    for (std::int64_t layer = 0; layer <= grid.layers; ++layer) {
      const double depth_mm = thickness_mm * static_cast<double>(layer) / static_cast<double>(grid.layers);
      const double half_length_mm = epicardium_half_length_mm - depth_mm;
      const double angle = fraction * base_angle(half_length_mm);
      const double radius_mm = (epicardium_radius_mm - depth_mm) * std::sin(angle);
      const double scale = from_apex > 0 ? radius_mm / from_apex : 0.0;
      result[static_cast<std::size_t>(v * (grid.layers + 1) + layer)] = {scale * x, scale * y,
                                                                         -half_length_mm * std::cos(angle)};
    }
  }
  return result;
}

}  // namespace

LeftVentricleGrid left_ventricle_grid(std::int64_t tets) {
  if (tets < 1 || tets > max_tets) {
    throw InputError("left ventricle", fmt::format("{} tetrahedra cannot be made", tets),
                     fmt::format("Ask for 1 to {}", max_tets));
  }
  const std::int64_t hexahedra = (tets - 1) / 6 + 1;
  const double wall_mm3 = volume_mm3(epicardium_radius_mm, epicardium_half_length_mm) -
                          volume_mm3(endocardium_radius_mm, endocardium_half_length_mm);
  const double edge_mm = std::cbrt(wall_mm3 / static_cast<double>(hexahedra));
  const auto count = [&](double length_mm) {
    return std::max<std::int64_t>(1, std::llround(length_mm / edge_mm));
  };
  LeftVentricleGrid grid{
      .block = count(2 * std::numbers::pi * middle_radius_mm / 4), .rings = 1, .layers = count(thickness_mm)};
  const std::int64_t columns = (hexahedra - 1) / grid.layers + 1;
  const std::int64_t around = 4 * grid.block;
  grid.rings = std::max<std::int64_t>(1, (columns - grid.block * grid.block + around - 1) / around);
  return grid;
}

TetMesh left_ventricle(std::int64_t tets, std::uint64_t seed) {
  const LeftVentricleGrid grid = left_ventricle_grid(tets);
  const Disc disc(grid);
  const Priority priority(seed);
  TetMesh mesh{vertices(grid), std::vector<Tet>(static_cast<std::size_t>(tets))};
  const std::int64_t hexahedra = (tets - 1) / 6 + 1;
#pragma omp parallel for
  for (std::int64_t h = 0; h < hexahedra; ++h) {
    const auto quadrilateral = disc.quadrilateral(h / grid.layers);
    Hexahedron hexahedron{};
    for (std::size_t corner = 0; corner < 4; ++corner) {
      hexahedron[corner] =
          static_cast<std::int32_t>(quadrilateral[corner] * (grid.layers + 1) + h % grid.layers);
      hexahedron[corner + 4] = hexahedron[corner] + 1;
    }
    const auto pieces = cut(hexahedron, priority);
    const std::int64_t kept = std::min<std::int64_t>(6, tets - 6 * h);
    std::copy_n(pieces.begin(), kept, mesh.tets.begin() + 6 * h);
  }
  return mesh;
}

}  // namespace finegrain::problem
