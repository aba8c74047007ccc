// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/spmv/own_rows.hpp"
#include "traces/operation.hpp"

namespace finegrain::kernels {

/// The values exchanged with one other rank: a part of an exchange's values.
struct PeerValues {
  int peer;
  std::int64_t first;
  std::int64_t count;

  template <class T>
  std::span<T> of(T* buffer) const {
    return {buffer + first, static_cast<std::size_t>(count)};
  }
};

/// What one rank sends, or receives, in condensed messages: each value's place in its memory.
struct Exchange {
  std::vector<PeerValues> peers;      ///< ascending
  std::vector<std::int32_t> indices;  ///< into x (sending) or x_copy (receiving), shape [values]

  std::int64_t values() const { return static_cast<std::int64_t>(indices.size()); }
};

/// --copy: "full" or "compact".
Option copy_option(std::string& copy);

/// @param counts  values exchanged with each rank, shape [ranks]
Exchange make_exchange(const std::vector<std::int64_t>& counts, std::vector<std::int32_t> indices);

/// The elements of x that this rank's rows read and other ranks own: ascending for each owner. Shape [ranks]
std::vector<std::vector<std::int32_t>> needed_elements(const SpmvInput& input, const OwnRows& own, int rank);
/// Bytes that needed_elements() moves if it finds `needed` elements: it reads each column index, clears and
/// reads one bit for each element of x, and writes the needed elements. Nothing if there are no rows.
Work find_work(const SpmvInput& input, const OwnRows& own, std::size_t needed);
/// Bytes moved to turn this number of elements into places in the owner's part of x.
Work places_work(std::size_t elements);

/// Renumbers the columns, and the places of incoming values, for a compact x: this rank's elements come
/// first, and those of other ranks follow in the order of their messages.
void make_compact(const SpmvInput& input, int rank, OwnRows& own, Exchange& incoming);

/// Copies values of x into the buffer, and those of the buffer into x_copy. Shape of the buffer [values]
void pack(const Exchange& outgoing, const double* x, double* buffer);
void unpack(const Exchange& incoming, const double* buffer, double* x_copy);
/// What pack() and unpack() move over memory: packed values are stored one after the other, but each unpacked
/// value to a place of its own. Source: eqs. (12) and (15).
std::int64_t pack_bytes(std::int64_t values);
Work unpack_work(std::int64_t values);
/// The same for unpacking into places that follow one another: no value takes a cache line of its own.
Work compact_unpack_work(std::int64_t values);

}  // namespace finegrain::kernels
