// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/problem/row_order.hpp"

namespace finegrain::tune {

/// The matrices to try of one input: a matrix file is one; of a mesh or a Matrix Market file one is made for
/// each order, in a folder of its own that this removes.
class OrderedMatrices {
 public:
  /// @param orders  none: of a mesh sbd, rcm and hilbert; of Matrix Market as it is, and rcm
  /// @throws InputError if the input cannot be used, or is a matrix file and has orders given
  OrderedMatrices(const std::filesystem::path& input, std::vector<problem::RowOrder> orders);
  ~OrderedMatrices();
  OrderedMatrices(const OrderedMatrices&) = delete;
  OrderedMatrices& operator=(const OrderedMatrices&) = delete;

  const std::vector<std::string>& files() const { return files_; }
  /// Of each file; none where the input is a matrix file.
  const std::vector<problem::RowOrder>& orders() const { return orders_; }

 private:
  std::vector<problem::RowOrder> orders_;
  std::filesystem::path folder_;
  std::vector<std::string> files_;
};

}  // namespace finegrain::tune
