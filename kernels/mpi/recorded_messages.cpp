// SPDX-License-Identifier: MIT
#include "kernels/mpi/recorded_messages.hpp"

namespace finegrain::kernels {
namespace {

constexpr int tag = 0;

}  // namespace

void RecordedMessages::note(TransferKind kind, int peer, int values) {
  const auto size_bytes = static_cast<std::int64_t>(values) * static_cast<std::int64_t>(sizeof(double));
  if (recorder_ == nullptr) return;
  numbers_.push_back(recorder_->post({.kind = kind, .peer = peer, .tag = tag, .size_bytes = size_bytes}));
}

void RecordedMessages::receive(std::span<double> values, int peer) {
  const int count = static_cast<int>(values.size());
  note(TransferKind::receive, peer, count);
  MPI_Irecv(values.data(), count, MPI_DOUBLE, peer, tag, comm_, &requests_.emplace_back());
}

void RecordedMessages::send(std::span<const double> values, int peer) {
  const int count = static_cast<int>(values.size());
  note(TransferKind::send, peer, count);
  MPI_Isend(values.data(), count, MPI_DOUBLE, peer, tag, comm_, &requests_.emplace_back());
}

void RecordedMessages::wait() {
  if (recorder_ != nullptr) recorder_->complete(Complete::all());
  // Recorded or not, so that recording changes nothing in how a rank waits.
  const int posted = static_cast<int>(requests_.size());
  completed_.resize(requests_.size());
  for (int done = 0, count = 0; done < posted; done += count) {
    MPI_Waitsome(posted, requests_.data(), &count, completed_.data(), MPI_STATUSES_IGNORE);
    if (recorder_ == nullptr) continue;
    for (int i = 0; i < count; ++i)
      recorder_->ended(numbers_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])]);
  }
  requests_.clear();
  numbers_.clear();
}

}  // namespace finegrain::kernels
