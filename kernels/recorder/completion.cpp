// SPDX-License-Identifier: MIT
// MPI_Wait and MPI_Test in all their forms, MPI_Cancel and MPI_Request_free.
#include <algorithm>
#include <vector>

#include "kernels/recorder/call.hpp"

namespace finegrain::recorder {
namespace {

/// What a call has completed, written when all of it is known.
class Completion {
 public:
  explicit Completion(Record& record) : record_(record), numbers_(record.recording().numbers) {
    numbers_.clear();
  }
  ~Completion() {
    record_.complete(numbers_);
    if (has_unknown_ && numbers_.empty()) record_.signature().timed();
  }
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// @param handle  as it was before the call, which has set it to MPI_REQUEST_NULL
  void add(MPI_Request handle, const MPI_Request* address, const MPI_Status* status) {
    if (handle == MPI_REQUEST_NULL) return;
    Recording& recording = record_.recording();
    Pending pending;
    if (!recording.requests.take(handle, address, pending)) {
      // A request of a file, or one that the user defines. A persistent request that is not active is
      // complete without waiting.
      if (!recording.persistent.contains(handle)) has_unknown_ = true;
      return;
    }
    if (pending.created != MPI_Comm{})
      recording.communicators.made_later(pending.created, pending.communicator);
    if (pending.second != Pending::none) numbers_.push_back(pending.second);
    if (pending.is_outside) has_unknown_ = true;
    if (pending.number == Pending::none) return;
    if (pending.is_cancelled && was_cancelled(status)) {
      record_.signature().cancel(record_.age(pending.number));
      return;
    }
    if (pending.has_wildcard()) {
      record_.signature().bind(record_.age(pending.number),
                               pending.communicator->rank_of_run(status->MPI_SOURCE), status->MPI_TAG);
    }
    numbers_.push_back(pending.number);
  }

 private:
  static bool was_cancelled(const MPI_Status* status) {
    int was = 0;
    real.MPI_Test_cancelled(status, &was);
    return was != 0;
  }

  Record& record_;
  std::vector<std::int64_t>& numbers_;
  bool has_unknown_ = false;
};

/// The program's statuses, or the recorder's own if only the recorder needs them.
MPI_Status* statuses_or_own(MPI_Status* statuses, int count) {
  const Recording* const recording = current_recording.load(std::memory_order_relaxed);
  if (statuses != MPI_STATUSES_IGNORE || recording == nullptr || recording->requests.needing_status == 0)
    return statuses;
  thread_local std::vector<MPI_Status> own;
  own.resize(static_cast<std::size_t>(std::max(count, 1)));
  return own.data();
}

/// A test of no requests completes nothing, though it succeeds.
bool are_null(const std::vector<MPI_Request>& handles) {
  return std::ranges::all_of(handles, [](MPI_Request handle) { return handle == MPI_REQUEST_NULL; });
}

const MPI_Status* element(const MPI_Status* statuses, int index) {
  return statuses == MPI_STATUSES_IGNORE ? nullptr : statuses + index;
}

void record_all(const Call& call, int count, const MPI_Request requests[],
                const std::vector<MPI_Request>& handles, const MPI_Status* statuses) {
  Record record(call);
  if (!record) return;
  Completion completion(record);
  for (int i = 0; i < count; ++i)
    completion.add(handles[static_cast<std::size_t>(i)], &requests[i], element(statuses, i));
}

void record_one(const Call& call, MPI_Request handle, const MPI_Request* request, const MPI_Status* status) {
  Record record(call);
  if (record) Completion(record).add(handle, request, status);
}

void record_some(const Call& call, const MPI_Request requests[], const std::vector<MPI_Request>& handles,
                 int done, const int indices[], const MPI_Status* statuses) {
  Record record(call);
  if (!record || done == MPI_UNDEFINED) return;
  Completion completion(record);
  for (int i = 0; i < done; ++i)
    completion.add(handles[static_cast<std::size_t>(indices[i])], &requests[indices[i]],
                   element(statuses, i));
}

}  // namespace

int recorded::MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Call call(Function::MPI_Wait);
  const MPI_Request handle = *request;
  status = statuses_or_own(status, 1);
  const int result = real.MPI_Wait(request, status);
  record_one(call, handle, request, status);
  return result;
}

int recorded::MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  const Call call(Function::MPI_Waitall);
  const std::vector<MPI_Request>& handles = copy_of(count, requests);
  statuses = statuses_or_own(statuses, count);
  const int result = real.MPI_Waitall(count, requests, statuses);
  record_all(call, count, requests, handles, statuses);
  return result;
}

int recorded::MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const Call call(Function::MPI_Waitany);
  const std::vector<MPI_Request>& handles = copy_of(count, requests);
  status = statuses_or_own(status, 1);
  const int result = real.MPI_Waitany(count, requests, index, status);
  const int none = MPI_UNDEFINED;
  record_some(call, requests, handles, *index == none ? none : 1, index, status);
  return result;
}

int recorded::MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                           MPI_Status* statuses) {
  const Call call(Function::MPI_Waitsome);
  const std::vector<MPI_Request>& handles = copy_of(count, requests);
  statuses = statuses_or_own(statuses, count);
  const int result = real.MPI_Waitsome(count, requests, done, indices, statuses);
  record_some(call, requests, handles, *done, indices, statuses);
  return result;
}

int recorded::MPI_Test(MPI_Request* request, int* is_done, MPI_Status* status) {
  const Call call(Function::MPI_Test);
  const MPI_Request handle = *request;
  status = statuses_or_own(status, 1);
  const int result = real.MPI_Test(request, is_done, status);
  if (*is_done == 0 || handle == MPI_REQUEST_NULL) {
    record_poll(call);
  } else {
    record_one(call, handle, request, status);
  }
  return result;
}

int recorded::MPI_Testall(int count, MPI_Request requests[], int* are_done, MPI_Status* statuses) {
  const Call call(Function::MPI_Testall);
  const std::vector<MPI_Request>& handles = copy_of(count, requests);
  statuses = statuses_or_own(statuses, count);
  const int result = real.MPI_Testall(count, requests, are_done, statuses);
  if (*are_done == 0 || are_null(handles)) {
    record_poll(call);
  } else {
    record_all(call, count, requests, handles, statuses);
  }
  return result;
}

int recorded::MPI_Testany(int count, MPI_Request requests[], int* index, int* is_done, MPI_Status* status) {
  const Call call(Function::MPI_Testany);
  const std::vector<MPI_Request>& handles = copy_of(count, requests);
  status = statuses_or_own(status, 1);
  const int result = real.MPI_Testany(count, requests, index, is_done, status);
  if (*is_done == 0 || *index == MPI_UNDEFINED) {
    record_poll(call);
  } else {
    record_some(call, requests, handles, 1, index, status);
  }
  return result;
}

int recorded::MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                           MPI_Status* statuses) {
  const Call call(Function::MPI_Testsome);
  const std::vector<MPI_Request>& handles = copy_of(count, requests);
  statuses = statuses_or_own(statuses, count);
  const int result = real.MPI_Testsome(count, requests, done, indices, statuses);
  if (*done == 0 || *done == MPI_UNDEFINED) {
    record_poll(call);
  } else {
    record_some(call, requests, handles, *done, indices, statuses);
  }
  return result;
}

int recorded::MPI_Request_get_status(MPI_Request request, int* is_done, MPI_Status* status) {
  const Call call(Function::MPI_Request_get_status);
  const int result = real.MPI_Request_get_status(request, is_done, status);
  if (*is_done == 0) {
    record_poll(call);
  } else {
    const Record record(call);
  }
  return result;
}

int recorded::MPI_Cancel(MPI_Request* request) {
  const Call call(Function::MPI_Cancel);
  const int result = real.MPI_Cancel(request);
  if (Record record(call); record && result == MPI_SUCCESS) {
    Requests& requests = record.recording().requests;
    Pending* const pending = requests.find(*request, request);
    if (pending == nullptr || pending->is_cancelled) return result;
    if (!pending->has_wildcard()) ++requests.needing_status;
    pending->is_cancelled = true;
  }
  return result;
}

int recorded::MPI_Request_free(MPI_Request* request) {
  const Call call(Function::MPI_Request_free);
  const MPI_Request handle = *request;
  const int result = real.MPI_Request_free(request);
  if (Record record(call); record && result == MPI_SUCCESS) {
    record.recording().persistent.erase(handle);
    Pending pending;
    // From now on, MPI cannot say what a wildcard receive got.
    if (record.recording().requests.take(handle, request, pending) && pending.has_wildcard())
      record.signature().cancel(record.age(pending.number));
  }
  return result;
}

}  // namespace finegrain::recorder
