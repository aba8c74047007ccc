// SPDX-License-Identifier: MIT
#include "sim/schedule/programs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

std::string name_of(const Program& program) {
  return fmt::format("{} {} {}", to_string(program.policy), to_string(program.transfer),
                     to_string(program.completion));
}

}  // namespace

std::vector<Program> spmv_programs() {
  using enum Transfer;
  using enum Completion;
  return {{Policy::naive, get, each},
          {Policy::individual, get, each},
          {Policy::block, get, each},
          {Policy::block, put, together},
          {Policy::condensed, put, each},
          {Policy::condensed, put, together},
          {Policy::condensed, put, overlapped},
          {Policy::condensed, two_sided, together},
          {Policy::condensed, two_sided, overlapped}};
}

std::vector<Program> heat_programs() {
  using enum Transfer;
  using enum Completion;
  return {{Policy::condensed, get, each},
          {Policy::condensed, get, together},
          {Policy::condensed, get, overlapped},
          {Policy::condensed, two_sided, together},
          {Policy::condensed, two_sided, overlapped}};
}

std::optional<Completion> usual_completion(const std::vector<Program>& programs, Policy policy,
                                           Transfer transfer) {
  const auto program = std::ranges::find_if(programs, [&](const Program& candidate) {
    return candidate.policy == policy && candidate.transfer == transfer;
  });
  return program == programs.end() ? std::nullopt : std::optional(program->completion);
}

void check_program(const Run& run) {
  const bool spmv = std::holds_alternative<SpmvProblem>(run.problem);
  const std::vector<Program> programs = spmv ? spmv_programs() : heat_programs();
  const Program wanted{run.policy, run.transfer, run.completion};
  if (std::ranges::find(programs, wanted) != programs.end()) return;
  std::vector<std::string> names;
  for (const Program& program : programs) {
    if (program.policy == run.policy) names.push_back(name_of(program));
  }
  throw InputError(
      names.empty()
          ? fmt::format("policy: {} has no policy {} (one message goes to each neighbour). Use condensed",
                        spmv ? "spmv" : "heat", to_string(run.policy))
          : fmt::format("policy: {} has no program {}. Use {}", spmv ? "spmv" : "heat", name_of(wanted),
                        fmt::join(names, ", or ")));
}

}  // namespace finegrain
