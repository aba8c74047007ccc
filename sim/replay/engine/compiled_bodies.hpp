// SPDX-License-Identifier: MIT
#pragma once

#include <boost/container/flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/replay/programs/compiler.hpp"

namespace finegrain::replay {

/// The bodies that a rank's program had last and more than once, compiled, and the regions that it had so
/// far. In memory are a few bodies, however long the program is.
class CompiledBodies {
 public:
  /// @returns the body's, valid until the next call; its places of regions are those in names()
  /// @throws InputError if a route is missing
  CompiledBody& of(const std::shared_ptr<const Body>& body, int rank, Compiler& compiler);

  std::size_t regions() const { return regions_.size(); }
  std::vector<std::string> names() const;  ///< ReplayResult::regions

 private:
  struct Compiled {
    std::shared_ptr<const Body> body;  ///< so that no other one lies at its address
    CompiledBody program;
  };
  /// Without looking for it.
  void compile(const std::shared_ptr<const Body>& body, int rank, Compiler& compiler, Compiled& compiled);

  Compiled once_;  ///< the last one that came for the first time
  /// Addresses of bodies that came; others may lie there by now. They come in about this order.
  boost::container::flat_set<const Body*> met_;
  std::unordered_map<const Body*, Compiled> known_;         ///< bodies that may well come again
  std::unordered_map<const Body*, Compiled> known_before_;  ///< the generation before
  std::size_t known_operations_ = 0;                        ///< those of the bodies in `known_`
  std::vector<RegionName> regions_;
  std::map<std::pair<RegionName, std::int32_t>, std::uint32_t> places_;  ///< in it
};

}  // namespace finegrain::replay
