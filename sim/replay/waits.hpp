// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace finegrain::replay {

/// Seconds that a rank waits, each for one cause. An example: rank 1 waits from 1 s on for a message of 1 MB
/// over a link of 1 MB/s, which another message uses, too. Rank 0 sends it at 3 s, and it is there at 5 s:
///
///     late sender 3 - 1 = 2 s, transfer 1 MB / 1 MB/s = 1 s, contention 5 - 3 - 1 = 1 s
///
/// A wait for several things has the causes of those that are complete last.
struct Waits {
  double late_sender_s = 0;      ///< until the sender of a message had come to sending it
  double late_receiver_s = 0;    ///< until the receiver of a message that waits for it expected it
  double late_collective_s = 0;  ///< until the ranks had entered on which this part of a collective depends
  double transfer_s = 0;         ///< then latency, and bytes that have all links of their way to themselves
  double contention_s = 0;       ///< how much longer that took because other bytes used links or memory, too
  double lock_s = 0;             ///< until another rank had released the lock of a window

  double late_s() const { return late_sender_s + late_receiver_s + late_collective_s; }
  double total_s() const { return late_s() + transfer_s + contention_s + lock_s; }
  Waits& add(const Waits& other, double times = 1);
};

/// A cause of waiting, declared once. Tables, JSON and the page take their names from here.
struct WaitCause {
  std::string_view key;      ///< with the unit
  std::string_view heading;  ///< for people
  std::string_view help;
  double Waits::*seconds;
};

/// What a rank waits for in each of its phases. Only what is not 0 takes memory, because a run of many ranks
/// has many of these.
class PhaseWaits {
 public:
  /// Something of one phase for one cause.
  struct Part {
    std::uint32_t phase;
    std::uint32_t cause;  ///< its place in wait_causes()
    double seconds;
  };

  /// @param waits  a phase's, which may be none
  void add(std::size_t phase, const Waits& waits);
  void add(const PhaseWaits& other, double times = 1);
  Waits of(std::size_t phase) const;
  /// All phases together.
  Waits sum() const;
  /// Whether a simulation has told what the rank waits for: it knows of a phase, which may have no waits.
  bool is_known() const { return is_known_; }

  friend auto parts_of(PhaseWaits& waits) { return std::tie(waits.parts_, waits.is_known_); }

 private:
  std::vector<Part> parts_;  ///< by phase, and then by cause
  bool is_known_ = false;
};

/// All causes, in the order in which tables show them.
std::span<const WaitCause> wait_causes();

/// Whether these waits have the cause, and not only because numbers were rounded.
bool has_cause(const Waits& waits, const WaitCause& cause);

}  // namespace finegrain::replay
