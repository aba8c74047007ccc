// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/pattern/pattern.hpp"
#include "traces/run.hpp"

namespace finegrain::policy {

/// A policy, who moves the bytes, and when a rank waits for them.
struct Variant {
  std::string policy;
  Transfer transfer = Transfer::get;
  Completion completion = Completion::each;
  Settings settings = {};  ///< the policy's; those left out have their defaults

  friend bool operator==(const Variant&, const Variant&) = default;
};

Variant variant_of(const Run& run);

/// The variants of all policies on a pattern, in the order of the registry.
std::vector<Variant> variants(const pattern::PatternKind& kind);

/// Whether the pattern has a program for this policy, transfer and completion.
bool has_variant(const pattern::PatternKind& kind, const Variant& variant);

/// The variant that a few words name: what is left out is the usual one.
/// @param transfer, completion  empty: not given
/// @throws InputError if there is no such variant; the error names those that the policy has
Variant find_variant(const pattern::PatternKind& kind, const std::string& policy, const std::string& transfer,
                     const std::string& completion);

/// @throws InputError if no program runs so
void check_variant(const Run& run);

}  // namespace finegrain::policy
