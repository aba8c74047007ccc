// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "traces/operation.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::scaling {

/// What the calls of a trace that is written are named by.
enum class CallsNamed : std::uint8_t {
  by_function,  ///< "MPI_Isend", as in a recording
  by_place      ///< "MPI_Isend halo.c:88", as in a recording that is read by place
};

/// The places from which all recordings' calls were made, numbered from 0 on: a function, and where it was
/// called ("MPI_Isend halo.c:88"). Without recorded places, the function alone.
class Sites {
 public:
  /// Whether one place, by its name without the function, comes before another one in the source.
  using IsBefore = std::function<bool(const std::string& a, const std::string& b)>;

  explicit Sites(IsBefore is_before = {}, CallsNamed written = CallsNamed::by_function)
      : is_before_(std::move(is_before)), written_(written) {}

  int number_of(RegionName name);
  const std::string& name(int site) const { return names_[static_cast<std::size_t>(site)]; }
  /// What a call from there is named in the trace that is written.
  RegionName written_name(int site) const;
  int size() const { return static_cast<int>(names_.size()); }
  bool is_before(int a, int b) const;

 private:
  IsBefore is_before_;
  CallsNamed written_;
  std::map<RegionName, int> numbers_;
  std::vector<std::string> names_;
};

/// The ranks of a communicator, in its order; null: all ranks of the run in order.
using Members = std::shared_ptr<const std::vector<std::int32_t>>;

/// What a call completes, among the requests that were open. Requests are counted from the oldest open one.
struct Completion {
  std::int64_t open = 0;                ///< requests before it
  std::int64_t first = 0;               ///< position of the first that it completes, from 0 on
  std::int64_t count = 0;               ///< how many it completes
  bool is_contiguous = true;            ///< they follow each other among the open ones
  std::vector<std::int64_t> positions;  ///< all that it completes, if they do not
  std::vector<int> of_sites;            ///< whose calls posted them, sorted
  std::vector<int> left_open;           ///< sites that have open requests after it, sorted
};

/// A call, as it was recorded.
struct RecordedCall {
  int site = 0;
  double work_ns = 0;  ///< before it, without waits for a core
  std::uint32_t first_operation = 0;
  std::uint32_t operation_count = 0;
};

/// An operation of a call. All that one call completes is one operation.
struct RecordedOperation {
  Operation operation;
  Members members = nullptr;             ///< its communicator's
  std::vector<std::int64_t> sizes = {};  ///< a collective's, where they differ from rank to rank
  std::shared_ptr<const Completion> completion = nullptr;  ///< a Complete's
};

struct RecordedRank {
  std::vector<RecordedCall> calls;
  std::vector<RecordedOperation> operations;
};

struct Recording {
  std::string file;
  std::vector<RecordedRank> ranks;
  bool shared_cores = false;  ///< more ranks than cores

  int rank_count() const { return static_cast<int>(ranks.size()); }
};

/// Reads all calls of a recording. @param operations  read so far, of all recordings
/// @throws InputError if the trace cannot be read, is empty, or has too many operations
Recording read_recording(const Trace& trace, Sites& sites, std::int64_t& operations);

}  // namespace finegrain::scaling
