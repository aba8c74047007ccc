// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/bench/traffic.hpp"
#include "kernels/mpi/recorded_messages.hpp"
#include "kernels/spmv/exchange_mpi.hpp"

namespace finegrain::kernels {

/// The iteration of condensed_mpi.cpp, which calls the same functions in the same phases. Here iterations can
/// be started one at a time.
class CondensedSpmv {
 public:
  /// Collective; x has its start values. @throws KernelExit{1} on every rank where memory does not suffice
  CondensedSpmv(const MpiSession& mpi, const SpmvInput& input);

  /// y = M x, and y becomes x.
  void iterate();
  /// The phases that the iterations go through, so that they can be recorded.
  RecordedPhases& phases() { return messages_; }
  /// The product alone, on the x of the last iteration, into y.
  void multiply_only();

  const OwnRows& own() const { return own_; }
  std::span<const double> x() const { return {x_.get(), rows()}; }
  /// What the last product read. Shape [n]
  const double* x_copy() const { return x_copy_.get(); }
  std::span<double> y() { return {y_.get(), rows()}; }
  Traffic traffic() const;

 private:
  std::size_t rows() const { return static_cast<std::size_t>(input_.own_rows()); }

  const SpmvInput& input_;
  OwnRows own_;
  RecordedMessages messages_;
  Exchanges exchanges_;
  machine::Array<double> x_;
  machine::Array<double> y_;
  machine::Array<double> x_copy_;
  std::vector<double> received_;
  std::vector<double> sent_;
};

}  // namespace finegrain::kernels
