// SPDX-License-Identifier: MIT
#include "sim/cli/variant_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/cli/help.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain::cli {

void add_variant_options(CLI::App& command, VariantOptions& options) {
  std::vector<std::string> names;
  std::vector<std::string> two_sided;  // usually
  std::string help = "How accesses become messages:";
  for (const policy::Policy* policy : policy::policies()) {
    help += fmt::format("{} {} ({})", names.empty() ? "" : ",", policy->name(), policy->help());
    names.push_back(policy->name());
    if (policy->usual_transfer() == Transfer::two_sided) two_sided.push_back(policy->name());
  }
  options.policy = policy::usual_policy().name();
  command.add_option("--policy", options.policy, help)->check(one_of(names))->capture_default_str();
  command
      .add_option(
          "--transfer", options.transfer,
          fmt::format("Who moves the bytes: the reader (get), the writer (put), both (two-sided: MPI's send "
                      "and receive). Default: two-sided for {}, get for the others",
                      fmt::join(two_sided, " and ")))
      ->check(one_of({"get", "put", "two-sided"}));
  command
      .add_option("--completion", options.completion,
                  "When a rank waits for its messages: for each one in turn (each), for all at once "
                  "(together), or only after the work that needs no message (overlapped). Default: each for "
                  "get and put, or together where no program waits for each")
      ->check(one_of({"each", "together", "overlapped"}));
}

std::vector<std::string> candidate_names() {
  std::vector<std::string> names;
  for (const policy::Policy* policy : policy::policies())
    if (policy->is_candidate()) names.push_back(policy->name());
  return names;
}

policy::Variant variant_of(const VariantOptions& options, const pattern::PatternKind& kind) {
  return policy::find_variant(kind, options.policy, options.transfer, options.completion);
}

}  // namespace finegrain::cli
