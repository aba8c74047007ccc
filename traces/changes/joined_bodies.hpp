// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain::changes {

/// A region of a body.
struct BodyPart {
  std::shared_ptr<const Body> body;
  std::size_t region = 0;
};

/// Bodies that are put together of regions of others. The same regions give the same body.
class JoinedBodies {
 public:
  std::shared_ptr<const Body> join(const std::vector<BodyPart>& parts);

 private:
  struct Joined {
    std::vector<BodyPart> parts;  ///< kept, so that no other body gets the address of one
    std::shared_ptr<const Body> body;
  };
  std::map<std::vector<std::pair<const Body*, std::size_t>>, Joined> known_;
};

/// Appends a region with these operations. @param sizes  that collectives among them name
void append_region(Body& body, RegionName name, std::span<const Operation> operations,
                   const std::vector<std::int64_t>& sizes);

}  // namespace finegrain::changes
