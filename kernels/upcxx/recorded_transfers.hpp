// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <upcxx/upcxx.hpp>
#include <utility>
#include <vector>

#include "kernels/run/recorded_phases.hpp"

namespace finegrain::kernels {

/// Where the initiator's end of puts and gets lies: in registered memory, which the network may read and
/// write directly, or in the rank's own memory, from malloc.
enum class InitiatorMemory : std::uint8_t { registered, own };

/// Whether a rank goes on while a transfer is under way, until wait(), or blocks until it is complete.
enum class Going : std::uint8_t { on, blocks };

/// The one place where a UPC++ kernel gets and puts values and records that it does. So what a trace says was
/// posted is what UPC++ was called with. Without a recorder it only transfers.
class RecordedTransfers : public RecordedPhases {
 public:
  /// Consecutive elements: the first, and how many.
  using Stretch = std::pair<upcxx::global_ptr<const double>, std::size_t>;
  using LocalStretch = std::pair<double*, std::size_t>;

  explicit RecordedTransfers(InitiatorMemory memory) : memory_(memory) {}

  using RecordedPhases::region;
  /// A region of work that includes accesses of single elements.
  template <class Calls>
  void region(RegionName name, const Work& work, Calls calls) {
    RecordedPhases::region(name, work, [&] {
      calls();
      end_accesses();
    });
  }

  /// Gets one element and waits for it. Successive accesses to the same rank are recorded as one load with a
  /// repeat count; accesses to this rank's own elements are not recorded.
  template <class T>
  T get(upcxx::global_ptr<T> from) {
    if (recorder_ != nullptr && from.where() != upcxx::rank_me()) note_access(from.where(), sizeof(T));
    return upcxx::rget(from).wait();
  }

  /// Gets a line of another rank's elements and waits for it. It is recorded as get() of one element is.
  void load(upcxx::global_ptr<double> from, std::span<double> to) {
    if (recorder_ != nullptr) note_access(from.where(), to.size_bytes());
    upcxx::rget(from, to.data(), to.size()).wait();
  }

  /// Transfers values. With Going::on, the values must stay untouched until wait() has returned.
  template <class T>
  void get(upcxx::global_ptr<T> from, std::span<T> to, Going going) {
    const int number = note(TransferKind::get, from.where(), to.size_bytes(), going);
    pending_.push_back({upcxx::rget(from, to.data(), to.size()), number});
    if (going == Going::blocks) finish();
  }
  /// Gets elements of one rank, wherever they lie there, in one transfer. The lists, too, must stay untouched
  /// until wait() has returned.
  void get(std::span<const Stretch> from, std::span<const LocalStretch> to, Going going);
  void put(std::span<const double> from, upcxx::global_ptr<double> to, Going going);
  /// Returns when all transfers started before are complete.
  void wait();

 private:
  /// A transfer that is under way.
  struct Pending {
    upcxx::future<> done;
    int number;  ///< in the iteration
  };

  /// Accesses of one rank's elements, so far.
  struct Accesses {
    int peer;
    std::size_t size_bytes;
    int number;  ///< their transfer's in the iteration
  };

  int note(TransferKind kind, int peer, std::size_t size_bytes, Going going);
  void finish();
  void note_access(int peer, std::size_t size_bytes) {
    if (accesses_ && accesses_->peer == peer && accesses_->size_bytes == size_bytes) {
      recorder_->repeat(accesses_->number);
    } else {
      begin_accesses(peer, size_bytes);
    }
  }
  void begin_accesses(int peer, std::size_t size_bytes);
  void end_accesses();

  InitiatorMemory memory_;
  std::vector<Pending> pending_;
  std::optional<Accesses> accesses_;
};

}  // namespace finegrain::kernels
