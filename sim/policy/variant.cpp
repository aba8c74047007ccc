// SPDX-License-Identifier: MIT
#include "sim/policy/variant.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::policy {
namespace {

std::string name_of(const Variant& variant) {
  return fmt::format("{} {} {}", variant.policy, to_string(variant.transfer), to_string(variant.completion));
}

[[noreturn]] void throw_unknown(const pattern::PatternKind& kind, const Variant& wanted) {
  std::vector<std::string> names;
  for (const Variant& variant : policy(wanted.policy).variants(kind))
    names.push_back(name_of(variant));
  if (!names.empty()) {
    throw InputError("policy", fmt::format("{} has no program {}", kind.name(), name_of(wanted)),
                     fmt::format("Use {}", fmt::join(names, ", or ")));
  }
  std::vector<std::string> others;
  for (const Policy* other : policies())
    if (!other->variants(kind).empty()) others.push_back(other->name());
  throw InputError(
      "policy",
      fmt::format("{} has no policy {} (one message goes to each neighbour)", kind.name(), wanted.policy),
      fmt::format("Use {}", fmt::join(others, " or ")));
}

template <class Value>
Value named(const std::string& text, std::initializer_list<Value> values) {
  const auto found = std::ranges::find(values, text, [](Value value) { return to_string(value); });
  if (found != values.end()) return *found;
  throw InputError(
      "policy",
      fmt::format(
          "'{}' is neither a transfer (get, put, two-sided) nor a completion (each, together, overlapped)",
          text));
}

}  // namespace

Variant variant_of(const Run& run) {
  return {run.policy, run.transfer, run.completion, run.policy_settings};
}

std::vector<Variant> variants(const pattern::PatternKind& kind) {
  std::vector<Variant> all;
  for (const Policy* policy : policies())
    for (const Variant& variant : policy->variants(kind))
      all.push_back(variant);
  return all;
}

bool has_variant(const pattern::PatternKind& kind, const Variant& variant) {
  const std::vector<Variant> known = policy(variant.policy).variants(kind);
  return std::ranges::find(known, Variant{variant.policy, variant.transfer, variant.completion}) !=
         known.end();
}

Variant find_variant(const pattern::PatternKind& kind, const std::string& name, const std::string& transfer,
                     const std::string& completion) {
  const Policy& chosen = policy(name);
  Variant wanted{name,
                 transfer.empty() ? chosen.usual_transfer()
                                  : named(transfer, {Transfer::get, Transfer::put, Transfer::two_sided}),
                 Completion::each};
  const std::vector<Variant> known = chosen.variants(kind);
  if (!completion.empty()) {
    wanted.completion = named(completion, {Completion::each, Completion::together, Completion::overlapped});
  } else if (const auto usual = std::ranges::find(known, wanted.transfer, &Variant::transfer);
             usual != known.end()) {
    wanted.completion = usual->completion;
  }
  if (!has_variant(kind, wanted)) throw_unknown(kind, wanted);
  return wanted;
}

void check_variant(const Run& run) {
  const pattern::PatternKind& kind = pattern::pattern_kind(run);
  if (!has_variant(kind, variant_of(run))) throw_unknown(kind, variant_of(run));
}

}  // namespace finegrain::policy
