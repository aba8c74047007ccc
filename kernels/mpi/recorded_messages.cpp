// SPDX-License-Identifier: MIT
#include "kernels/mpi/recorded_messages.hpp"

#include <numeric>

namespace finegrain::kernels {
namespace {

constexpr int tag = 0;

std::vector<int> running_sum(std::span<const int> counts) {
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  return starts;
}

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

void RecordedMessages::exchange_numbers(std::span<const int> out, std::span<int> in) {
  if (recorder_ != nullptr)
    recorder_->collective(
        {.kind = CollectiveKind::alltoall, .element_bytes = sizeof(int), .size_bytes = sizeof(int)});
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm_);
}

void RecordedMessages::exchange_lists(std::span<const std::int32_t> out, std::span<const int> counts_out,
                                      std::span<std::int32_t> in, std::span<const int> counts_in) {
  if (recorder_ != nullptr) {
    std::vector<std::int64_t> sizes;
    for (const auto& counts : {counts_out, counts_in})
      for (const int count : counts)
        sizes.push_back(count * static_cast<std::int64_t>(sizeof(std::int32_t)));
    recorder_->collective({.kind = CollectiveKind::alltoallv,
                           .element_bytes = sizeof(std::int32_t),
                           .size_bytes = static_cast<std::int64_t>(out.size_bytes())},
                          sizes);
  }
  const std::vector<int> starts_out = running_sum(counts_out);
  const std::vector<int> starts_in = running_sum(counts_in);
  MPI_Alltoallv(out.data(), counts_out.data(), starts_out.data(), MPI_INT32_T, in.data(), counts_in.data(),
                starts_in.data(), MPI_INT32_T, comm_);
}

void RecordedMessages::wait() {
  if (recorder_ != nullptr) recorder_->complete(Complete::all());
  // The same whether recorded or not, so that recording does not change how a rank waits.
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
