// SPDX-License-Identifier: MIT
#pragma once

#include <upcxx/upcxx.hpp>

#include <functional>

#include "kernels/run/session.hpp"

namespace finegrain::kernels {

/// A rank of upcxx::world(). Only the thread that made it calls UPC++.
class UpcxxSession : public Session {
 public:
  UpcxxSession();
  ~UpcxxSession() override;

  void barrier() const override;
  void maximize(std::span<double> values) const override;
  void broadcast(std::span<double> values) const override;
  std::vector<std::string> all_texts(const std::string& mine) const override;
  std::vector<ClockOffset> measure_clock_offsets() const override;
  int first_on_node() const override { return upcxx::local_team()[0]; }
  std::string implementation() const override { return "upcxx"; }
  std::pair<std::string, std::string> library() const override;
  [[noreturn]] void abort() const override;
};

/// Starts UPC++ and runs the kernel on every rank. @returns its exit code, as run_kernel() says
int run_upcxx_program(int argc, char** argv,
                      const std::function<int(const UpcxxSession& upcxx, int argc, char** argv)>& kernel);

}  // namespace finegrain::kernels
