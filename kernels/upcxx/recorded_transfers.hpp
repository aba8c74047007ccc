// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <upcxx/upcxx.hpp>
#include <vector>

#include "kernels/run/recorded_phases.hpp"

namespace finegrain {

/// The one place where a UPC++ kernel's values are got and put, and noted: what a trace says was posted is
/// what UPC++ was called with. Without a recorder it only transfers.
class RecordedTransfers : public RecordedPhases {
 public:
  /// As RecordedPhases does.
  template <class Work>
  void phase(PhaseKind kind, std::int64_t memory_bytes, Work work) {
    RecordedPhases::phase(kind, memory_bytes, [&] {
      work();
      end_accesses();
    });
  }

  /// One element, at once. Accesses of the same rank, one after the other, are noted as one message with a
  /// repeat count; those of this rank's own elements are none.
  template <class T>
  T get(upcxx::global_ptr<T> from) {
    if (recorder_ != nullptr && from.where() != upcxx::rank_me()) note_access(from.where(), sizeof(T));
    return upcxx::rget(from).wait();
  }

  /// Starts a transfer; the values stay untouched until wait() has returned.
  void get(upcxx::global_ptr<double> from, std::span<double> to);
  void put(std::span<const double> from, upcxx::global_ptr<double> to);
  /// Returns when all transfers started before are complete.
  void wait();

 private:
  /// A transfer that is under way.
  struct Pending {
    upcxx::future<> done;
    int number;  ///< of its message in the iteration
  };

  /// Accesses of one rank's elements, so far.
  struct Accesses {
    int peer;
    std::size_t size_bytes;
    int number;  ///< of their message in the iteration
  };

  int note(MessageKind kind, int peer, std::size_t values);
  void note_access(int peer, std::size_t size_bytes) {
    if (accesses_ && accesses_->peer == peer && accesses_->size_bytes == size_bytes) {
      recorder_->repeat(accesses_->number);
    } else {
      begin_accesses(peer, size_bytes);
    }
  }
  void begin_accesses(int peer, std::size_t size_bytes);
  void end_accesses();

  std::vector<Pending> pending_;
  std::optional<Accesses> accesses_;
};

}  // namespace finegrain
