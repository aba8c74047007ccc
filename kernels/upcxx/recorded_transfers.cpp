// SPDX-License-Identifier: MIT
#include "kernels/upcxx/recorded_transfers.hpp"

namespace finegrain {

int RecordedTransfers::note(MessageKind kind, int peer, std::size_t values) {
  if (recorder_ == nullptr) return 0;
  return recorder_->post({kind, peer, static_cast<std::int64_t>(values * sizeof(double))});
}

void RecordedTransfers::begin_accesses(int peer, std::size_t size_bytes) {
  end_accesses();
  accesses_ = {peer, size_bytes,
               recorder_->post({MessageKind::get, peer, static_cast<std::int64_t>(size_bytes)})};
}

void RecordedTransfers::end_accesses() {
  if (accesses_) recorder_->complete(accesses_->number);
  accesses_.reset();
}

void RecordedTransfers::get(upcxx::global_ptr<double> from, std::span<double> to) {
  const int number = note(MessageKind::get, from.where(), to.size());
  pending_.push_back({upcxx::rget(from, to.data(), to.size()), number});
}

void RecordedTransfers::put(std::span<const double> from, upcxx::global_ptr<double> to) {
  const int number = note(MessageKind::put, to.where(), from.size());
  pending_.push_back({upcxx::rput(from.data(), to, from.size()), number});
}

void RecordedTransfers::wait() {
  // Recorded or not, so that recording changes nothing in how a rank waits.
  while (!pending_.empty()) {
    std::erase_if(pending_, [&](const Pending& transfer) {
      if (!transfer.done.ready()) return false;
      if (recorder_ != nullptr) recorder_->complete(transfer.number);
      return true;
    });
    if (!pending_.empty()) upcxx::progress();
  }
}

}  // namespace finegrain
