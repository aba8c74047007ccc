// SPDX-License-Identifier: MIT
#include "sim/replay/engine/node_memory.hpp"

#include <algorithm>
#include <utility>

namespace finegrain::replay {

NodeMemory::NodeMemory(EventQueue& events, Bandwidths bandwidths)
    : events_(events),
      first_source_(events.sources()),
      bandwidths_(std::move(bandwidths)),
      queues_(bandwidths_.of_nodes.size() * static_cast<std::size_t>(bandwidths_.domains)) {
  for (std::size_t domain = 0; domain < queues_.size(); ++domain)
    events_.add_source();
}

void NodeMemory::move(std::size_t strand, double bytes, std::uint32_t domain) {
  queues_[domain].add(bytes, static_cast<std::uint32_t>(strand), events_.now_s());
  share(domain);
}

double NodeMemory::rate_bytes_per_s(std::size_t domain, std::size_t movers) const {
  const std::size_t node = domain / static_cast<std::size_t>(bandwidths_.domains);
  const double share = bandwidths_.of_nodes[node] / bandwidths_.domains / static_cast<double>(movers);
  return std::min(bandwidths_.of_ranks[node], share);
}

void NodeMemory::share(std::size_t domain) {
  FairQueue& memory = queues_[domain];
  if (memory.empty()) return;
  memory.set_rate(rate_bytes_per_s(domain, memory.jobs()), events_.now_s());
  events_.schedule(first_source_ + domain, memory.next_end_s());
}

}  // namespace finegrain::replay
