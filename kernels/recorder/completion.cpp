// SPDX-License-Identifier: MIT
// MPI_Wait and MPI_Test in all their forms, MPI_Cancel and MPI_Request_free.
#include <algorithm>
#include <vector>

#include "kernels/recorder/point_to_point.hpp"

namespace finegrain::recorder {
namespace {

bool was_cancelled(const MPI_Status* status) {
  int was = 0;
  real.MPI_Test_cancelled(status, &was);
  return was != 0;
}

/// What a call has completed, written when all of it is known.
class Completion {
 public:
  /// @param waited_outside  when the call began, one of its requests was about a process outside the run and
  ///   not complete
  explicit Completion(Record& record, bool waited_outside = false)
      : record_(record), numbers_(record.recording().numbers), waited_outside_(waited_outside) {
    numbers_.clear();
  }
  ~Completion() {
    record_.complete(numbers_);
    if (has_unknown_ && (numbers_.empty() || waited_outside_)) record_.signature().timed();
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
    add(pending, status);
  }

  /// @param pending  what the request was, which is not among the open ones any more
  void add(const Pending& pending, const MPI_Status* status) {
    if (pending.second != Pending::none) numbers_.push_back(pending.second);
    if (pending.is_outside) has_unknown_ = true;
    if (pending.number == Pending::none) return;
    if (pending.is_cancelled && was_cancelled(status)) {
      record_.signature().cancel(record_.age(pending.number));
      return;
    }
    if (pending.has_wildcard()) {
      const int source = status == nullptr ? -1 : status->MPI_SOURCE;
      if (source < 0 || source >= sources_of(*pending.communicator)) {
        record_.signature().cancel(record_.age(pending.number));  // it failed before it got a message
        return;
      }
      if (pending.communicator->rank_of_run(source) < 0) {
        record_.signature().cancel(record_.age(pending.number));  // it got nothing of the run
        has_unknown_ = true;
        return;
      }
      record_.signature().bind(record_.age(pending.number), pending.communicator->rank_of_run(source),
                               status->MPI_TAG);
    }
    numbers_.push_back(pending.number);
  }

 private:
  static int sources_of(const Communicator& communicator) {
    return communicator.is_inter ? communicator.remote_ranks() : communicator.size();
  }

  Record& record_;
  std::vector<std::int64_t>& numbers_;
  bool has_unknown_ = false;
  bool waited_outside_;
};

/// Before a call that waits for several requests, some about processes outside the run: whether one of those
/// is not complete, so that the call's time is, above all, the time until it is.
bool will_wait_outside(const std::vector<MPI_Request>& handles, const MPI_Request requests[]) {
  const Recording* const recording = current_recording.load(std::memory_order_relaxed);
  if (recording == nullptr || !recording->requests.has_outside()) return false;
  SpareVector<MPI_Request> outside;
  if (const Access access; access) {
    Requests& known = access.recording().requests;
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (known.has_outside(1, &handles[i], &requests[i])) (*outside).push_back(handles[i]);
    }
  }
  return std::ranges::any_of(*outside, [](MPI_Request handle) {
    int is_done = 1;
    return real.MPI_Request_get_status(handle, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_done == 0;
  });
}

/// The program's statuses, or the recorder's own if only the recorder needs them.
MPI_Status* statuses_or_own(MPI_Status* statuses, int count, SpareVector<MPI_Status>& own) {
  const Recording* const recording = current_recording.load(std::memory_order_relaxed);
  if (statuses != MPI_STATUSES_IGNORE || recording == nullptr || recording->requests.needing_status == 0)
    return statuses;
  (*own).resize(static_cast<std::size_t>(std::max(count, 1)));
  return (*own).data();
}

/// A test of no requests completes nothing, though it succeeds.
bool are_null(const std::vector<MPI_Request>& handles) {
  return std::ranges::all_of(handles, [](MPI_Request handle) { return handle == MPI_REQUEST_NULL; });
}

const MPI_Status* element(const MPI_Status* statuses, int index) {
  return statuses == MPI_STATUSES_IGNORE ? nullptr : statuses + index;
}

/// What a call's result says about its requests.
class Outcome {
 public:
  explicit Outcome(int result) : result_(result) {
    if (result != MPI_SUCCESS) real.MPI_Error_class(result, &error_class_);
  }

  bool is_success() const { return result_ == MPI_SUCCESS; }
  bool is_in_status() const { return error_class_ == MPI_ERR_IN_STATUS; }
  /// Whether a request that the call was to complete is complete. Where the call has failed, it is if MPI has
  /// freed it, or if its receive took a message, which may be one that was too long.
  /// @param status  none if the program ignores it
  bool has_completed(MPI_Request handle, MPI_Request after, const MPI_Status* status) const {
    if (is_success()) return true;
    if (handle != MPI_REQUEST_NULL && after == MPI_REQUEST_NULL) return true;
    if (!is_in_status()) return took_message(result_);
    return status != nullptr && took_message(status->MPI_ERROR);
  }

 private:
  int result_;
  int error_class_ = MPI_SUCCESS;
};

void record_all(const Call& call, int result, const MPI_Request requests[],
                const std::vector<MPI_Request>& handles, const MPI_Status* statuses,
                bool waited_outside = false) {
  Record record(call);
  if (!record) return;
  const Outcome outcome(result);
  Completion completion(record, waited_outside);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const MPI_Status* const status = element(statuses, static_cast<int>(i));
    // With several requests, only their statuses say which one's message was too long.
    const bool is_complete = outcome.is_success() || outcome.is_in_status()
                                 ? outcome.has_completed(handles[i], requests[i], status)
                                 : requests[i] == MPI_REQUEST_NULL;
    if (is_complete) completion.add(handles[i], &requests[i], status);
  }
}

void record_one(const Call& call, int result, MPI_Request handle, const MPI_Request* request,
                const MPI_Status* status) {
  Record record(call);
  if (!record || request == nullptr) return;
  if (Outcome(result).has_completed(handle, *request, status))
    Completion(record).add(handle, request, status);
}

/// @param done  how many indices and statuses there are; what a failed call leaves there may be anything
void record_some(const Call& call, int result, const MPI_Request requests[],
                 const std::vector<MPI_Request>& handles, const int* done, const int indices[],
                 const MPI_Status* statuses) {
  Record record(call);
  const auto count = static_cast<int>(handles.size());
  if (!record || done == nullptr || indices == nullptr || *done < 0 || *done > count) return;
  const Outcome outcome(result);
  Completion completion(record);
  for (int i = 0; i < *done; ++i) {
    const int index = indices[i];
    if (index < 0 || index >= count) continue;
    const MPI_Request handle = handles[static_cast<std::size_t>(index)];
    const MPI_Status* const status = element(statuses, i);
    if (outcome.has_completed(handle, requests[index], status))
      completion.add(handle, &requests[index], status);
  }
}

/// Whether a test has found nothing. One that has failed says nothing about that.
bool has_found_nothing(int result, const int* is_done) {
  return result == MPI_SUCCESS && is_done != nullptr && *is_done == 0;
}

constexpr int one = 1;

}  // namespace

int recorded::MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Call call(Function::MPI_Wait);
  const MPI_Request handle = copy_of(request);
  SpareVector<MPI_Status> own;
  status = statuses_or_own(status, 1, own);
  const int result = real.MPI_Wait(request, status);
  record_one(call, result, handle, request, status);
  return result;
}

int recorded::MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  const Call call(Function::MPI_Waitall);
  SpareVector<MPI_Request> handles = copy_of(count, requests);
  SpareVector<MPI_Status> own;
  statuses = statuses_or_own(statuses, count, own);
  const bool waits_outside = will_wait_outside(*handles, requests);
  const int result = real.MPI_Waitall(count, requests, statuses);
  record_all(call, result, requests, *handles, statuses, waits_outside);
  return result;
}

int recorded::MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const Call call(Function::MPI_Waitany);
  SpareVector<MPI_Request> handles = copy_of(count, requests);
  SpareVector<MPI_Status> own;
  status = statuses_or_own(status, 1, own);
  const int result = real.MPI_Waitany(count, requests, index, status);
  record_some(call, result, requests, *handles, &one, index, status);
  return result;
}

int recorded::MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                           MPI_Status* statuses) {
  const Call call(Function::MPI_Waitsome);
  SpareVector<MPI_Request> handles = copy_of(count, requests);
  SpareVector<MPI_Status> own;
  statuses = statuses_or_own(statuses, count, own);
  const int result = real.MPI_Waitsome(count, requests, done, indices, statuses);
  record_some(call, result, requests, *handles, done, indices, statuses);
  return result;
}

int recorded::MPI_Test(MPI_Request* request, int* is_done, MPI_Status* status) {
  const Call call(Function::MPI_Test);
  const MPI_Request handle = copy_of(request);
  SpareVector<MPI_Status> own;
  status = statuses_or_own(status, 1, own);
  const int result = real.MPI_Test(request, is_done, status);
  if (has_found_nothing(result, is_done) || (result == MPI_SUCCESS && handle == MPI_REQUEST_NULL)) {
    record_poll(call,
                [&](Recording& recording) { return recording.requests.has_outside(1, &handle, request); });
  } else {
    record_one(call, result, handle, request, status);
  }
  return result;
}

int recorded::MPI_Testall(int count, MPI_Request requests[], int* are_done, MPI_Status* statuses) {
  const Call call(Function::MPI_Testall);
  SpareVector<MPI_Request> handles = copy_of(count, requests);
  SpareVector<MPI_Status> own;
  statuses = statuses_or_own(statuses, count, own);
  const int result = real.MPI_Testall(count, requests, are_done, statuses);
  if (has_found_nothing(result, are_done) || (result == MPI_SUCCESS && are_null(*handles))) {
    record_poll(call, [&](Recording& recording) {
      return recording.requests.has_outside((*handles).size(), (*handles).data(), requests);
    });
  } else {
    record_all(call, result, requests, *handles, statuses);
  }
  return result;
}

int recorded::MPI_Testany(int count, MPI_Request requests[], int* index, int* is_done, MPI_Status* status) {
  const Call call(Function::MPI_Testany);
  SpareVector<MPI_Request> handles = copy_of(count, requests);
  SpareVector<MPI_Status> own;
  status = statuses_or_own(status, 1, own);
  const int result = real.MPI_Testany(count, requests, index, is_done, status);
  if (has_found_nothing(result, is_done) || (result == MPI_SUCCESS && *index == MPI_UNDEFINED)) {
    record_poll(call, [&](Recording& recording) {
      return recording.requests.has_outside((*handles).size(), (*handles).data(), requests);
    });
  } else {
    record_some(call, result, requests, *handles, &one, index, status);
  }
  return result;
}

int recorded::MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                           MPI_Status* statuses) {
  const Call call(Function::MPI_Testsome);
  SpareVector<MPI_Request> handles = copy_of(count, requests);
  SpareVector<MPI_Status> own;
  statuses = statuses_or_own(statuses, count, own);
  const int result = real.MPI_Testsome(count, requests, done, indices, statuses);
  if (result == MPI_SUCCESS && (*done == 0 || *done == MPI_UNDEFINED)) {
    record_poll(call, [&](Recording& recording) {
      return recording.requests.has_outside((*handles).size(), (*handles).data(), requests);
    });
  } else {
    record_some(call, result, requests, *handles, done, indices, statuses);
  }
  return result;
}

int recorded::MPI_Request_get_status(MPI_Request request, int* is_done, MPI_Status* status) {
  const Call call(Function::MPI_Request_get_status);
  const int result = real.MPI_Request_get_status(request, is_done, status);
  if (has_found_nothing(result, is_done)) {
    record_poll(call,
                [&](Recording& recording) { return recording.requests.has_outside(1, &request, nullptr); });
  } else if (Record record(call); record && result == MPI_SUCCESS) {
    // A receive's handle is its own, so it is found without the address of its variable.
    if (Pending* const pending = record.recording().requests.find(request, nullptr)) pending->is_seen = true;
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

namespace {

using PersistentNode = decltype(Recording::persistent)::node_type;

/// @param persistent  set to what a persistent request does, which is forgotten, because another thread may
/// get the handle before this one's call returns
/// @returns whether MPI has to be asked about the request before it is freed, because it says nothing
/// afterwards
bool begin_to_free(MPI_Request handle, const MPI_Request* address, PersistentNode& persistent) {
  const bool is_null = handle == MPI_REQUEST_NULL;
  const Access access;
  if (!access || is_null) return false;
  persistent = access.recording().persistent.extract(handle);
  const Pending* const pending = access.recording().requests.find(handle, address);
  return pending != nullptr && (pending->has_wildcard() || pending->is_cancelled || pending->is_seen);
}

/// @param status  the request's if it was complete when it was freed, else none
void record_freed(Record& record, const Pending& pending, const MPI_Status* status) {
  if (pending.number == Pending::none) return;
  if (status == nullptr) {
    // Nobody will know what a wildcard receive gets. A receive that is being cancelled gets nothing.
    if (pending.has_wildcard() || (pending.is_cancelled && pending.is_receive))
      record.signature().cancel(record.age(pending.number));
  } else if (pending.is_seen || (pending.is_cancelled && was_cancelled(status))) {
    Completion(record).add(pending, status);
  } else if (pending.has_wildcard()) {
    record.signature().bind(record.age(pending.number), pending.communicator->rank_of_run(status->MPI_SOURCE),
                            status->MPI_TAG);
  }
}

}  // namespace

int recorded::MPI_Request_free(MPI_Request* request) {
  const Call call(Function::MPI_Request_free);
  const MPI_Request handle = copy_of(request);
  int is_complete = 0;
  MPI_Status status;
  PersistentNode persistent;
  if (begin_to_free(handle, request, persistent)) real.MPI_Request_get_status(handle, &is_complete, &status);
  const int result = real.MPI_Request_free(request);
  if (Record record(call); record && result != MPI_SUCCESS) {
    record.recording().persistent.insert(std::move(persistent));
  } else if (record) {
    Pending pending;
    if (record.recording().requests.take(handle, request, pending))
      record_freed(record, pending, is_complete == 0 ? nullptr : &status);
  }
  return result;
}

}  // namespace finegrain::recorder
