// SPDX-License-Identifier: MIT
#include "sim/cli/program_options.hpp"

#include <algorithm>
#include <initializer_list>

namespace finegrain {
namespace {

/// @pre the text names one of the values, as CLI11 has checked
template <class Value>
Value named(const std::string& text, std::initializer_list<Value> values) {
  return *std::ranges::find(values, text, [](Value value) { return to_string(value); });
}

}  // namespace

void add_program_options(CLI::App& command, ProgramOptions& options) {
  command
      .add_option("--policy", options.policy,
                  "How accesses become messages: naive, individual (UPCv1), block (UPCv2), condensed (UPCv3, "
                  "MPI)")
      ->check(CLI::IsMember({"naive", "individual", "block", "condensed"}))
      ->capture_default_str();
  command
      .add_option("--transfer", options.transfer,
                  "Who moves the bytes: the reader (get), the writer (put), both (two-sided: MPI's send and "
                  "receive). Default: two-sided for condensed, get for the others")
      ->check(CLI::IsMember({"get", "put", "two-sided"}));
  command
      .add_option("--completion", options.completion,
                  "When a rank waits for its messages: for each, for all together, or overlapped with work "
                  "that needs none. Default: each for get and put, together where there is no such program")
      ->check(CLI::IsMember({"each", "together", "overlapped"}));
}

Program program_of(const ProgramOptions& options, const std::vector<Program>& programs) {
  Program program{
      named(options.policy, {Policy::naive, Policy::individual, Policy::block, Policy::condensed}),
      Transfer::get, Completion::each};
  if (!options.transfer.empty()) {
    program.transfer = named(options.transfer, {Transfer::get, Transfer::put, Transfer::two_sided});
  } else if (program.policy == Policy::condensed) {
    program.transfer = Transfer::two_sided;
  }
  if (!options.completion.empty()) {
    program.completion =
        named(options.completion, {Completion::each, Completion::together, Completion::overlapped});
  } else {
    program.completion =
        usual_completion(programs, program.policy, program.transfer).value_or(Completion::each);
  }
  return program;
}

}  // namespace finegrain
