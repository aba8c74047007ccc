// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace finegrain::replay {

/// What the sends and receives from one rank to another that are matched with one another have in common.
struct Connection {
  std::int32_t sender;
  std::int32_t receiver;
  std::int32_t communicator;
  std::int32_t tag;
  std::uint32_t route = 0;  ///< nothing within a node
  bool is_local = false;    ///< within a node
};

/// Connections by their ranks, communicator and tag. An exchange of 1,024 ranks has a million, and each is
/// looked up twice: in this table a place takes eight bytes, and is found with one look.
class Connections {
 public:
  /// @returns the connection's place in all(), and whether it is new
  std::pair<std::uint32_t, bool> find_or_add(const Connection& connection);

  const std::vector<Connection>& all() const { return all_; }
  Connection& at(std::uint32_t place) { return all_[place]; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  ///< the connection's, counted from 1; 0: none
  };
  void grow();

  std::vector<Connection> all_;
  std::vector<Slot> slots_ = std::vector<Slot>(64);  ///< a power of two, half of them free
};

}  // namespace finegrain::replay
