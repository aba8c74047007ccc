// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "traces/places/place_names.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::places {

/// Names of places that are equal exactly if all calls that led there are: "halo.c:88" where a function was
/// called from one line, "halo.c:88" and "halo.c:88#2" where it was called from two. The same in all traces
/// that are named by one object. A recursion counts as one call, however deep.
class ChainNames {
 public:
  /// From now on the trace's calls are named so. Those without recorded places keep their functions' names.
  /// @param trace  not longer than this object is used
  /// @throws InputError if names that are in the trace are damaged
  void name(Trace& trace);
  /// Whether one place comes before another one in the source: they differ first in the lines of one
  /// function.
  /// @param a, b  names that this object has given; others are in no order
  bool is_before(const std::string& a, const std::string& b) const;

 private:
  struct Known {
    std::map<std::string, std::string> names;              ///< by chain
    std::map<std::string, int> chains;                     ///< how many each name for people has
    std::map<std::string, std::vector<SourceLine>> lines;  ///< each name's, the outermost first
  };
  std::shared_ptr<Known> known_ = std::make_shared<Known>();
};

}  // namespace finegrain::places
