// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain::python {

/// An operation as a row of an array. All kinds have the same columns; what means nothing for a kind is 0, or
/// -1 where it is a rank. docs/python.md says what each means.
struct OperationRow {
  std::int32_t rank = 0;
  std::int32_t step = 0;  ///< the place of its region in the body
  std::uint16_t region = 0;
  std::uint8_t kind = 0;  ///< index into kinds()
  bool blocking = false;
  std::int32_t peer = -1;
  std::int32_t tag = 0;
  std::int32_t communicator = 0;
  std::int64_t size_bytes = 0;
  std::int64_t repeat = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t scattered_stores = 0;
  std::int64_t copied_bytes = 0;
  std::int64_t calls = 0;
  std::int64_t comparisons = 0;
  std::int64_t shared_references = 0;
  std::int64_t affinity_tests = 0;
  std::int64_t oldest = 0;
  std::int64_t count = 0;
  std::int64_t first_size = 0;
  std::int32_t size_count = 0;
  std::int32_t element_bytes = 0;
  bool timed = false;
  bool private_memory = false;
  bool synchronous = false;
  bool buffered = false;
  bool any_source = false;
  bool any_tag = false;
  bool exclusive = false;
  bool commutative = false;
  bool posted = false;
};

/// One that was recorded: the same columns, and when it was done.
struct RecordedRow {
  OperationRow operation;
  std::int64_t iteration;
  std::int64_t start_ns;
  std::int64_t end_ns;
};

/// The names of all kinds of operations. Transfers come first, in the order of TransferKind.
std::vector<std::string> kinds();

/// The names of regions, by their numbers in all rows that this process has made.
std::vector<std::string> region_names();

/// Adds a row for each operation of a body.
void add_rows(const Body& body, int rank, std::vector<OperationRow>& rows);

/// Makes the rows' types known to NumPy. Call it once.
void register_rows();
/// @pre register_rows() was called
pybind11::dtype recorded_row_type();

/// The ranks that a user asks for: one, or all. @throws InputError if there is no such rank
std::vector<int> asked_ranks(std::optional<std::int64_t> rank, int ranks);

}  // namespace finegrain::python
