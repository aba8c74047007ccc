// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/run/session.hpp"

namespace finegrain::kernels {

/// Collective. If any rank has a problem, the lowest such rank prints it as one line, and every rank leaves.
/// @throws KernelExit{1} on every rank, if any rank has a problem
void leave_if_any(const Session& session, const std::optional<std::string>& problem);

/// Collective: runs a step that may fail on some ranks (a file that one of them cannot open), so that all of
/// them go on, or none. The step itself must not communicate.
/// @throws KernelExit{1} on every rank, if the step threw on any
template <class Step>
std::invoke_result_t<Step> together(const Session& session, Step step) {
  using Result = std::invoke_result_t<Step>;
  std::conditional_t<std::is_void_v<Result>, bool, std::optional<Result>> result{};
  std::optional<std::string> problem;
  try {
    if constexpr (std::is_void_v<Result>) {
      step();
    } else {
      result.emplace(step());
    }
  } catch (const std::bad_alloc&) {
    problem = "out of memory. Use a smaller problem or more nodes";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  leave_if_any(session, problem);
  if constexpr (!std::is_void_v<Result>) return std::move(*result);
}

}  // namespace finegrain::kernels
