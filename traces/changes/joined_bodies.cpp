// SPDX-License-Identifier: MIT
#include "traces/changes/joined_bodies.hpp"

namespace finegrain::changes {

void append_region(Body& body, RegionName name, std::span<const Operation> operations,
                   const std::vector<std::int64_t>& sizes) {
  body.begin_region(name);
  for (Operation operation : operations) {
    if (auto* collective = std::get_if<Collective>(&operation); collective != nullptr) {
      const auto first = sizes.begin() + collective->first_size;
      collective->first_size = static_cast<std::int32_t>(body.sizes.size());
      body.sizes.insert(body.sizes.end(), first, first + collective->size_count);
    }
    body.add(operation);
  }
}

std::shared_ptr<const Body> JoinedBodies::join(const std::vector<BodyPart>& parts) {
  std::vector<std::pair<const Body*, std::size_t>> key;
  for (const BodyPart& part : parts)
    key.emplace_back(part.body.get(), part.region);
  const auto [known, is_new] = known_.try_emplace(std::move(key));
  if (is_new) {
    Body body;
    for (const BodyPart& part : parts) {
      const Region& region = part.body->regions[part.region];
      append_region(body, region.name, part.body->operations_of(region), part.body->sizes);
    }
    known->second = {parts, std::make_shared<const Body>(std::move(body))};
  }
  return known->second.body;
}

}  // namespace finegrain::changes
