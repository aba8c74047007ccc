// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

enum class CostUnit { bandwidth, time, size };

/// One property that finegrain reads from a platform file, and what was found.
struct CostProperty {
  std::string_view name;
  CostUnit unit;
  std::string_view
      used_by;  ///< "replay", "closed form", "both", or "limit": it says what fits, not what it costs
  std::string_view example;  ///< a value to copy, e.g. "100GBps"
  bool may_be_zero;
  std::optional<double>
      fallback;              ///< what holds where nothing was given; none: it has to be given if it is used
  std::string_view without;  ///< what happens where it is not given; empty: it has to be given
  std::optional<double> given = {};  ///< bytes/s, seconds or bytes
  std::string source = {};           ///< of `given`: "file:line" or "--set name"
  bool measured = false;             ///< the file says so; otherwise declared: a data sheet's, or assumed

  std::optional<double> value() const { return given ? given : fallback; }
};

/// All of finegrain's properties with the values that a platform file and `overrides` ("name=value", which
/// win) give them; nothing is asked for. Properties of links and of <config> are SimGrid's, unknown ones
/// somebody else's.
/// @throws InputError with file and line: malformed XML, a unit that does not parse, a zero where a rate is
/// needed, two values of one property, an unknown name in `overrides`, what reaches another file
std::vector<CostProperty> read_cost_properties(const std::filesystem::path& file,
                                               const std::vector<std::string>& overrides);

/// The same of a file that was read before.
std::vector<CostProperty> cost_properties(const PlatformDocument& document,
                                          const std::vector<std::string>& overrides);

/// "tau=1us,mpi=mpich-4.0" as two overrides: one ends where a comma and the name of another property follow.
/// @param other_names  what else may be set
std::vector<std::string> split_overrides(const std::vector<std::string>& texts,
                                         const std::vector<std::string>& other_names = {});

}  // namespace finegrain::platform
