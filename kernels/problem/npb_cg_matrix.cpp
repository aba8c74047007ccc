// SPDX-License-Identifier: MIT
#include "kernels/problem/npb_cg_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

/// NPB's randlc: uniform in (0, 1).
class NpbRandom {
 public:
  double next() {
    constexpr std::uint64_t multiplier = 1'220'703'125;  // 5^13
    constexpr std::uint64_t modulus = std::uint64_t{1} << 46;
    state_ = state_ * multiplier % modulus;  // 2^46 divides 2^64, so overflow changes nothing
    return static_cast<double>(state_) * 0x1p-46;
  }

 private:
  std::uint64_t state_ = 314'159'265;
};

constexpr double smallest_eigenvalue = 0.1;  // rcond

/// Sorts the places from `begin` on, and their values with them.
void sort_last(std::vector<std::int32_t>& places, std::vector<double>& values, std::size_t begin) {
  for (std::size_t next = begin + 1; next < places.size(); ++next) {
    for (std::size_t at = next; at > begin && places[at - 1] > places[at]; --at) {
      std::swap(places[at - 1], places[at]);
      std::swap(values[at - 1], values[at]);
    }
  }
}

}  // namespace

const NpbCgClass& npb_cg_class(const std::string& name, const std::string& place) {
  // NPB 3.3, npbparams.h and cg.f.
  static const std::array<NpbCgClass, 6> all{{{"S", 1'400, 7, 15, 10, 8.5971775078648},
                                              {"W", 7'000, 8, 15, 12, 10.362595087124},
                                              {"A", 14'000, 11, 15, 20, 17.130235054029},
                                              {"B", 75'000, 13, 75, 60, 22.712745482631},
                                              {"C", 150'000, 15, 75, 110, 28.973605592845},
                                              {"D", 1'500'000, 21, 100, 500, 52.514532105794}}};
  const auto found = std::ranges::find(all, name, &NpbCgClass::name);
  if (found != all.end()) return *found;
  throw InputError(place, fmt::format("'{}' is no class of NPB's CG", name), "Use S, W, A, B, C or D");
}

NpbCgMatrix::NpbCgMatrix(const NpbCgClass& of_class) : class_(of_class) {
  const auto rows = static_cast<std::size_t>(class_.rows);
  const auto most = static_cast<std::size_t>(class_.nonzeros) + 1;
  begins_.reserve(rows + 1);
  places_.reserve(rows * most);
  values_.reserve(rows * most);
  std::int64_t power_of_two = 1;
  while (power_of_two < class_.rows)
    power_of_two *= 2;
  NpbRandom random;
  random.next();  // which cg.f takes for zeta
  begins_.push_back(0);
  for (std::size_t vector = 0; vector < rows; ++vector) {
    const auto own = [&] { return std::span(places_).subspan(static_cast<std::size_t>(begins_.back())); };
    while (own().size() < static_cast<std::size_t>(class_.nonzeros)) {
      const double value = random.next();
      const auto place = static_cast<std::int32_t>(static_cast<double>(power_of_two) * random.next());
      if (place >= class_.rows || std::ranges::find(own(), place) != own().end()) continue;
      places_.push_back(place);
      values_.push_back(value);
    }
    // Every vector has the element with its own number; it is 0.5.
    const auto found = std::ranges::find(own(), static_cast<std::int32_t>(vector));
    if (found != own().end()) {
      values_[static_cast<std::size_t>(begins_.back() + (found - own().begin()))] = 0.5;
    } else {
      places_.push_back(static_cast<std::int32_t>(vector));
      values_.push_back(0.5);
    }
    sort_last(places_, values_, static_cast<std::size_t>(begins_.back()));
    begins_.push_back(static_cast<std::int64_t>(places_.size()));
  }
  row_begins_.assign(rows + 1, 0);
  for (const std::int32_t place : places_)
    ++row_begins_[static_cast<std::size_t>(place) + 1];
  for (std::size_t row = 0; row < rows; ++row)
    row_begins_[row + 1] += row_begins_[row];
  vectors_.resize(places_.size());
  std::vector<std::int64_t> next(row_begins_.begin(), row_begins_.end() - 1);
  for (std::size_t vector = 0; vector < rows; ++vector) {
    for (std::int64_t number = begins_[vector]; number < begins_[vector + 1]; ++number) {
      const auto place = static_cast<std::size_t>(places_[static_cast<std::size_t>(number)]);
      vectors_[static_cast<std::size_t>(next[place]++)] = static_cast<std::int32_t>(vector);
    }
  }
}

NpbCgMatrix::Rows::Rows(const NpbCgMatrix& matrix)
    : matrix_(matrix),
      last_column_(matrix.class_.rows - 1),
      last_row_(static_cast<std::size_t>(matrix.class_.rows), -1) {}

std::span<const std::int32_t> NpbCgMatrix::Rows::columns_up_to(std::int64_t row, std::int64_t last) {
  columns_.clear();
  const auto at = static_cast<std::size_t>(row);
  for (std::int64_t entry = matrix_.row_begins_[at]; entry < matrix_.row_begins_[at + 1]; ++entry) {
    const auto vector = static_cast<std::size_t>(matrix_.vectors_[static_cast<std::size_t>(entry)]);
    for (std::int64_t number = matrix_.begins_[vector]; number < matrix_.begins_[vector + 1]; ++number) {
      const std::int32_t column = matrix_.places_[static_cast<std::size_t>(number)];
      if (column > last) break;
      std::int32_t& found_in = last_row_[static_cast<std::size_t>(column)];
      if (found_in == row) continue;
      found_in = static_cast<std::int32_t>(row);
      columns_.push_back(column);
    }
  }
  return columns_;
}

std::span<const std::int32_t> NpbCgMatrix::Rows::entries(std::int64_t row, std::vector<double>& values) {
  sums_.resize(last_row_.size());
  for (const std::int32_t column : columns(row))
    sums_[static_cast<std::size_t>(column)] = 0;
  const auto at = static_cast<std::size_t>(row);
  const double rows = static_cast<double>(matrix_.class_.rows);
  for (std::int64_t entry = matrix_.row_begins_[at]; entry < matrix_.row_begins_[at + 1]; ++entry) {
    const auto vector = static_cast<std::size_t>(matrix_.vectors_[static_cast<std::size_t>(entry)]);
    // Weights fall from 1 to rcond, so that the condition number is about 1 / rcond.
    const double weight = std::pow(smallest_eigenvalue, static_cast<double>(vector) / rows);
    auto own_number = static_cast<std::size_t>(matrix_.begins_[vector]);
    while (matrix_.places_[own_number] != row)
      ++own_number;
    const double own = matrix_.values_[own_number];
    for (std::int64_t number = matrix_.begins_[vector]; number < matrix_.begins_[vector + 1]; ++number) {
      const auto index = static_cast<std::size_t>(number);
      sums_[static_cast<std::size_t>(matrix_.places_[index])] += weight * own * matrix_.values_[index];
    }
  }
  sums_[at] += smallest_eigenvalue - matrix_.class_.shift;
  std::ranges::sort(columns_);
  values.clear();
  for (const std::int32_t column : columns_)
    values.push_back(sums_[static_cast<std::size_t>(column)]);
  return columns_;
}

}  // namespace finegrain::problem
