// SPDX-License-Identifier: MIT
#include "sim/replay/programs/connections.hpp"

namespace finegrain::replay {
namespace {

bool is_same(const Connection& a, const Connection& b) {
  return a.sender == b.sender && a.receiver == b.receiver && a.tag == b.tag &&
         a.communicator == b.communicator;
}

/// Spreads what differs in few bits over all of them. Source of the multiplier: 2^64 over the golden ratio,
/// Knuth, The Art of Computer Programming 3, section 6.4.
std::uint32_t hash_of(const Connection& connection) {
  constexpr std::uint64_t golden = 0x9E37'79B9'7F4A'7C15;
  const auto pair = [](std::int32_t high, std::int32_t low) {
    return std::uint64_t{static_cast<std::uint32_t>(high)} << 32U | static_cast<std::uint32_t>(low);
  };
  std::uint64_t hash = pair(connection.sender, connection.receiver) * golden;
  hash = (hash ^ hash >> 32U ^ pair(connection.communicator, connection.tag)) * golden;
  return static_cast<std::uint32_t>(hash >> 32U);
}

}  // namespace

std::pair<std::uint32_t, bool> Connections::find_or_add(const Connection& connection) {
  const std::uint32_t hash = hash_of(connection);
  std::size_t place = hash & (slots_.size() - 1);
  for (; slots_[place].number != 0; place = (place + 1) & (slots_.size() - 1)) {
    const std::uint32_t known = slots_[place].number - 1;
    if (slots_[place].hash == hash && is_same(all_[known], connection)) return {known, false};
  }
  all_.push_back(connection);
  slots_[place] = {hash, static_cast<std::uint32_t>(all_.size())};
  if (2 * all_.size() > slots_.size()) grow();
  return {static_cast<std::uint32_t>(all_.size() - 1), true};
}

void Connections::grow() {
  std::vector<Slot> larger(2 * slots_.size());
  for (const Slot& slot : slots_) {
    if (slot.number == 0) continue;
    std::size_t place = slot.hash & (larger.size() - 1);
    while (larger[place].number != 0)
      place = (place + 1) & (larger.size() - 1);
    larger[place] = slot;
  }
  slots_ = std::move(larger);
}

}  // namespace finegrain::replay
