// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sim/policy/variant.hpp"

namespace finegrain::cli {

/// The flags that choose a policy and one of its variants; the same in every subcommand that has them.
struct VariantOptions {
  std::string policy;
  std::string transfer;    ///< empty: the policy's usual one
  std::string completion;  ///< empty: the usual one
};

/// Adds --policy, --transfer and --completion.
void add_variant_options(CLI::App& command, VariantOptions& options);

/// Policies that are looked at where the best one is asked for: examples for help texts.
std::vector<std::string> candidate_names();

/// What the flags ask for. @throws InputError if the pattern has none such
policy::Variant variant_of(const VariantOptions& options, const pattern::PatternKind& kind);

}  // namespace finegrain::cli
