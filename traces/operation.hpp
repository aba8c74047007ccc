// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace finegrain {

/// The name of a stretch of a program, such as a listing's phase: for tables, timelines and people. Names are
/// interned, so that they are compared, copied and stored as numbers; what a program does never depends on
/// one.
class RegionName {
 public:
  static constexpr std::size_t most_names = 65'535;
  static constexpr std::size_t longest = 255;  ///< bytes

  /// @throws InputError if the text is empty, longer than 255 bytes or not of printable ASCII characters, or
  /// there are 65,535 other names in this process
  explicit RegionName(std::string_view text);

  std::string_view text() const;  ///< valid as long as the process

  friend auto operator<=>(const RegionName&, const RegionName&) = default;

 private:
  friend struct regions;
  struct Known {
    std::uint16_t number;
  };
  constexpr explicit RegionName(Known known) : number_(known.number) {}

  std::uint16_t number_;
};

/// Names of the papers' listings' phases.
struct regions {
  static const RegionName pack, put, get, send, receive, wait, copy, unpack, compute, barrier;
};
inline constexpr RegionName regions::pack{RegionName::Known{0}};
inline constexpr RegionName regions::put{RegionName::Known{1}};
inline constexpr RegionName regions::get{RegionName::Known{2}};
inline constexpr RegionName regions::send{RegionName::Known{3}};
inline constexpr RegionName regions::receive{RegionName::Known{4}};
inline constexpr RegionName regions::wait{RegionName::Known{5}};
inline constexpr RegionName regions::copy{RegionName::Known{6}};
inline constexpr RegionName regions::unpack{RegionName::Known{7}};
inline constexpr RegionName regions::compute{RegionName::Known{8}};
inline constexpr RegionName regions::barrier{RegionName::Known{9}};

/// Bytes that a rank moves over its node's memory.
struct Work {
  std::int64_t memory_bytes = 0;      ///< loaded and stored, as the papers' equations count them
  std::int64_t scattered_stores = 0;  ///< of these stores, those that go each to a cache line of its own
  std::int64_t copied_bytes = 0;      ///< stored one after the other by copying

  friend bool operator==(const Work&, const Work&) = default;
};

/// Who calls for a transfer, and how. Both ends post a send and its receive; put, get, load and store are
/// posted by the rank that initiates them only. A load or a store is one element accessed by a pointer to
/// shared memory.
enum class TransferKind : std::uint8_t { send, receive, put, get, load, store };

/// A transfer begins: bytes from one rank to another. It makes a request, which a Complete takes, unless it
/// is blocking. Sends and receives are matched by their ranks, communicator and tag, in order.
struct Post {
  TransferKind kind;
  bool blocking = false;        ///< the rank goes on when it is complete; loads and stores always are
  bool private_memory = false;  ///< the initiator's end of a one-sided transfer is not registered memory
  std::int32_t peer;  ///< the other rank; a rank's own number for a copy of its own block (Listing 4)
  std::int32_t tag = 0;
  std::int32_t communicator = 0;
  std::int64_t size_bytes;  ///< of one transfer
  std::int64_t repeat = 1;  ///< the same transfer, this many times back to back

  friend bool operator==(const Post&, const Post&) = default;
};

/// Until some of the rank's requests are done.
struct Complete {
  /// The first of them was posted so many requests ago: 1 is the newest. 0: all that are open are meant.
  std::int64_t oldest = 0;
  std::int64_t count = 0;  ///< of requests, from that one on

  static constexpr Complete all() { return {}; }
  constexpr bool is_all() const { return oldest == 0; }
  friend bool operator==(const Complete&, const Complete&) = default;
};

enum class CollectiveKind : std::uint8_t { barrier };

/// What all ranks do together. How, the machine decides on which it is replayed.
struct Collective {
  CollectiveKind kind = CollectiveKind::barrier;

  friend bool operator==(const Collective&, const Collective&) = default;
};

using Operation = std::variant<Work, Post, Complete, Collective>;

/// A named stretch of a body.
struct Region {
  RegionName name;
  std::int32_t first_operation = 0;  ///< index into Body::operations
  std::int32_t operation_count = 0;

  friend bool operator==(const Region&, const Region&) = default;
};

/// What a rank does once, or again and again, in program order.
struct Body {
  std::vector<Region> regions;
  std::vector<Operation> operations;  ///< of all regions

  /// Opens the next region; operations added from now on belong to it.
  Body& begin_region(RegionName name);
  /// @pre a region is open
  Body& add(const Operation& operation);
  /// A region of its own for one operation.
  Body& add_region(RegionName name, const Operation& operation) { return begin_region(name).add(operation); }
  std::span<const Operation> operations_of(const Region& region) const;

  friend bool operator==(const Body&, const Body&) = default;
};

/// A body, and how often it is done.
struct Loop {
  const Body* body;
  std::int64_t count;
};

/// Calls visit(const Post&) for each transfer, in program order.
template <class Operations, class Visit>
void for_each_post(const Operations& operations, Visit&& visit) {
  for (const Operation& operation : operations) {
    if (const auto* post = std::get_if<Post>(&operation)) visit(*post);
  }
}

std::int64_t count_posts(std::span<const Operation> operations);
/// Of all work. @pre it fits 63 bits
std::int64_t memory_bytes(std::span<const Operation> operations);

/// Whether both ends post it.
constexpr bool is_two_sided(TransferKind kind) {
  return kind == TransferKind::send || kind == TransferKind::receive;
}
/// Whether the bytes go to the rank that posts it.
constexpr bool is_incoming(TransferKind kind) {
  return kind == TransferKind::receive || kind == TransferKind::get || kind == TransferKind::load;
}
/// Whether it leaves a request to be completed.
constexpr bool makes_request(const Post& post) {
  return !post.blocking && post.kind != TransferKind::load && post.kind != TransferKind::store;
}

std::string_view to_string(TransferKind kind);
std::string_view to_string(CollectiveKind kind);
/// The operation's kind, and its numbers: "work 100 B", "send to 2, 160 B", ...; for people.
std::string describe(const Operation& operation);

}  // namespace finegrain
