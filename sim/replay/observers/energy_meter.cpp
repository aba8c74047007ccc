// SPDX-License-Identifier: MIT
#include "sim/replay/observers/energy_meter.hpp"

namespace finegrain::replay {

EnergyMeter::EnergyMeter(const problem::Placement& placement, int threads_per_rank,
                         const platform::Platform& platform, const EnergyOptions& options,
                         const LoadedPlatform& loaded)
    : powers_(*platform.powers),
      options_(options),
      loaded_(loaded),
      idle_w_(idle_power_w(placement, threads_per_rank, platform, options)) {
  sockets_.resize(static_cast<std::size_t>(placement.nodes()) * static_cast<std::size_t>(platform.sockets));
  for (const auto& shares : socket_shares(placement, threads_per_rank, {platform, options})) {
    Rank& rank = ranks_.emplace_back();
    for (const SocketShare& share : shares)
      rank.shares.push_back({share});
    set_busy(rank, true, 0);
  }
}

void EnergyMeter::take(Rank& rank, double now_s) {
  for (Share& share : rank.shares) {
    Socket& socket = sockets_[share.on.socket];
    socket.thread_j += socket.thread_w * (now_s - socket.until_s);
    socket.until_s = now_s;
    if (rank.is_busy) rank.joules += share.on.threads * (socket.thread_j - share.from_j);
    share.from_j = socket.thread_j;
  }
}

void EnergyMeter::set_busy(Rank& rank, bool is_busy, double now_s) {
  if (rank.is_busy == is_busy) return;
  take(rank, now_s);
  rank.is_busy = is_busy;
  for (const Share& share : rank.shares) {
    Socket& socket = sockets_[share.on.socket];
    socket.busy_threads += is_busy ? share.on.threads : -share.on.threads;
    socket.thread_w =
        socket.busy_threads == 0
            ? 0
            : (powers_.socket_w(socket.busy_threads) - powers_.socket_w(0)) / socket.busy_threads;
  }
}

void EnergyMeter::step_began(std::size_t rank, const Step& step, double now_s) {
  if (options_.waiting == Waiting::idle && waits(step.kind)) set_busy(ranks_[rank], false, now_s);
}

void EnergyMeter::step_done(std::size_t rank, const Step& step, double now_s) {
  if (waits(step.kind)) set_busy(ranks_[rank], true, now_s);
}

void EnergyMeter::region_ended(std::size_t rank, std::uint32_t place, double now_s, RankReplay& so_far) {
  take(ranks_[rank], now_s);
  if (place >= so_far.phases_j.size()) so_far.phases_j.resize(place + 1, 0);
  so_far.phases_j[place] += ranks_[rank].joules;
  ranks_[rank].joules = 0;
}

void EnergyMeter::rank_finished(std::size_t rank, double now_s) {
  set_busy(ranks_[rank], false, now_s);
}

void EnergyMeter::flow_started(std::size_t rank, const StartedFlow& flow) {
  const LoadedPlatform::Route& route = flow.route;
  for (std::size_t place = 0; place < route.shared_links.size(); ++place) {
    const std::size_t link = route.shared_links[place];
    links_.insert(link);
    // The integral of a power that is in proportion to the load.
    ranks_[rank].joules += (powers_.link.busy_w - powers_.link.idle_w) * flow.bytes * route.part(place) /
                           loaded_.link_bandwidths_bytes_per_s()[link];
  }
}

Energy EnergyMeter::energy(const ReplayResult& result) const {
  const double idle_w = idle_w_ + static_cast<double>(links_.size()) * powers_.link.idle_w;
  Energy energy{.idle_j = idle_w * result.total_s};
  energy.total_j = energy.idle_j;
  for (const RankReplay& rank : result.ranks)
    for (const double joules : rank.phases_j)
      energy.total_j += joules;
  return energy;
}

}  // namespace finegrain::replay
