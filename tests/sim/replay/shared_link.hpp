// SPDX-License-Identifier: MIT
#pragma once

#include "small_platform.hpp"

namespace finegrain {

/// Nodes 0 and 1 on one switch, nodes 2 and 3 on another; between the switches is one link of 1 MB/s.
inline constexpr const char* two_switches = R"(<zone id="all" routing="Full">
  <host id="node-0" speed="1Gf"/><host id="node-1" speed="1Gf"/>
  <host id="node-2" speed="1Gf"/><host id="node-3" speed="1Gf"/>
  <link id="nic-0" bandwidth="1GBps" latency="0us"/><link id="nic-1" bandwidth="1GBps" latency="0us"/>
  <link id="nic-2" bandwidth="1GBps" latency="0us"/><link id="nic-3" bandwidth="1GBps" latency="0us"/>
  <link id="trunk" bandwidth="1MBps" latency="0us"/>
  <route src="node-0" dst="node-1"><link_ctn id="nic-0"/><link_ctn id="nic-1"/></route>
  <route src="node-0" dst="node-2"><link_ctn id="nic-0"/><link_ctn id="trunk"/><link_ctn id="nic-2"/></route>
  <route src="node-0" dst="node-3"><link_ctn id="nic-0"/><link_ctn id="trunk"/><link_ctn id="nic-3"/></route>
  <route src="node-1" dst="node-2"><link_ctn id="nic-1"/><link_ctn id="trunk"/><link_ctn id="nic-2"/></route>
  <route src="node-1" dst="node-3"><link_ctn id="nic-1"/><link_ctn id="trunk"/><link_ctn id="nic-3"/></route>
  <route src="node-2" dst="node-3"><link_ctn id="nic-2"/><link_ctn id="nic-3"/></route>
</zone>)";

/// Rank 0 puts so many bytes to rank 1, `iterations` times, with a barrier after each.
inline Schedule puts(std::int64_t bytes, std::int64_t iterations = 1) {
  Body putting = one_region(regions::put, {blocking(transfer(TransferKind::put, 1, bytes))});
  putting.add_region(regions::barrier, Collective{});
  Body idle;
  idle.add_region(regions::barrier, Collective{});
  return schedule_of_ranks({putting, idle}, 1, iterations);
}

}  // namespace finegrain
