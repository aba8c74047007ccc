// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/problem/row_order.hpp"

namespace finegrain::tune {

/// The matrices to try for one input. A matrix file is the only one. From a mesh or a Matrix Market file, one
/// matrix is made for each order, in a temporary folder that the destructor removes.
class OrderedMatrices {
 public:
  /// @param orders  empty: sbd, rcm and hilbert for a mesh; the file's own order and rcm for Matrix Market
  /// @throws InputError if the input cannot be used, or is a matrix file and has orders given
  OrderedMatrices(const std::filesystem::path& input, std::vector<problem::RowOrder> orders);
  ~OrderedMatrices();
  OrderedMatrices(const OrderedMatrices&) = delete;
  OrderedMatrices& operator=(const OrderedMatrices&) = delete;

  const std::vector<std::string>& files() const { return files_; }
  /// The order of each file; empty if the input is a matrix file.
  const std::vector<problem::RowOrder>& orders() const { return orders_; }
  /// What the user should know of the input, as sentences.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<problem::RowOrder> orders_;
  std::filesystem::path folder_;
  std::vector<std::string> files_;
  std::vector<std::string> notes_;
};

}  // namespace finegrain::tune
