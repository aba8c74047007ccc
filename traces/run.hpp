// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace finegrain {

/// A setting of a pattern: a whole number or a word.
using Value = std::variant<std::int64_t, std::string>;
using Settings = std::map<std::string, Value>;

/// What is computed: an access pattern by its name in the registry (sim/pattern), and its settings.
struct Problem {
  std::string pattern;
  Settings settings;

  friend auto operator<=>(const Problem&, const Problem&) = default;
};

/// A setting that is a whole number. @throws InputError if the problem has none of that name, or one that is
/// not between `least` and `most`
std::int64_t number_of(const Problem& problem, const std::string& name, std::int64_t least,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());
/// A setting that is a word. @throws InputError if the problem has none of that name
const std::string& text_of(const Problem& problem, const std::string& name);

/// Who moves the bytes: the reader gets them or the writer puts them, with barriers, as in the UPC listings;
/// or both take part (MPI's send, receive and wait).
enum class Transfer : std::uint8_t { get, put, two_sided };

/// When a rank waits for its transfers: after each one, as UPC's upc_memget and upc_memput do; once all are
/// started, as Paper III's UPC++ and MPI do; or after the work that does not need their data.
enum class Completion : std::uint8_t { each, together, overlapped };

/// What runs, on how many ranks: common to a schedule and a trace.
struct Run {
  Problem problem;
  std::string policy;             ///< by its name in the registry (sim/policy): how accesses become messages
  Settings policy_settings = {};  ///< those that the policy takes, empty: the usual ones
  Transfer transfer = Transfer::two_sided;
  Completion completion = Completion::together;
  int ranks = 1;
  int ranks_per_node = 1;
  int threads_per_rank = 1;
  std::int64_t iterations = 1;

  friend bool operator==(const Run&, const Run&) = default;
};

/// Whether a pattern and a policy of ours say what the ranks do, again and again. Otherwise it was recorded
/// (finegrain record --): its problem has one setting, the command, and its one iteration is all that it did.
bool has_pattern(const Run& run);

std::string_view to_string(Transfer transfer);
std::string_view to_string(Completion completion);

/// "spmv condensed two-sided", "spmv block get", "heat condensed get overlapped", ...: the completion is left
/// out where it is the usual one, `each` of get and put and `together` of two-sided. Of a program its
/// command.
std::string describe(const Run& run);

}  // namespace finegrain
