// SPDX-License-Identifier: MIT
#include "kernels/upcxx/recorded_transfers.hpp"

namespace finegrain::kernels {

int RecordedTransfers::note(TransferKind kind, int peer, std::size_t size_bytes, Going going) {
  if (recorder_ == nullptr) return 0;
  return recorder_->post({.kind = kind,
                          .blocking = going == Going::blocks,
                          .private_memory = memory_ == InitiatorMemory::own,
                          .peer = peer,
                          .size_bytes = static_cast<std::int64_t>(size_bytes)});
}

void RecordedTransfers::begin_accesses(int peer, std::size_t size_bytes) {
  end_accesses();
  accesses_ = {peer, size_bytes, note(TransferKind::load, peer, size_bytes, Going::blocks)};
}

void RecordedTransfers::end_accesses() {
  if (accesses_) recorder_->ended(accesses_->number);
  accesses_.reset();
}

void RecordedTransfers::get(std::span<const Stretch> from, std::span<const LocalStretch> to, Going going) {
  std::size_t size_bytes = 0;
  for (const Stretch& stretch : from)
    size_bytes += stretch.second * sizeof(double);
  const int number = note(TransferKind::get, from.front().first.where(), size_bytes, going);
  pending_.push_back({upcxx::rget_irregular(from.begin(), from.end(), to.begin(), to.end()), number});
  if (going == Going::blocks) finish();
}

void RecordedTransfers::put(std::span<const double> from, upcxx::global_ptr<double> to, Going going) {
  const int number = note(TransferKind::put, to.where(), from.size_bytes(), going);
  pending_.push_back({upcxx::rput(from.data(), to, from.size()), number});
  if (going == Going::blocks) finish();
}

void RecordedTransfers::wait() {
  if (recorder_ != nullptr) recorder_->complete(Complete::all());
  finish();
}

void RecordedTransfers::finish() {
  // The same whether recorded or not, so that recording does not change how a rank waits.
  while (!pending_.empty()) {
    std::erase_if(pending_, [&](const Pending& transfer) {
      if (!transfer.done.ready()) return false;
      if (recorder_ != nullptr) recorder_->ended(transfer.number);
      return true;
    });
    if (!pending_.empty()) upcxx::progress();
  }
}

}  // namespace finegrain::kernels
