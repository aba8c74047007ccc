// SPDX-License-Identifier: MIT
#include "kernels/spmv/exchange.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain::kernels {
namespace {

constexpr std::int64_t double_bytes = sizeof(double);
constexpr std::int64_t index_bytes = sizeof(std::int32_t);
constexpr std::int64_t cache_line_bytes = 64;

}  // namespace

Option copy_option(std::string& copy) {
  return {.flag = "--copy",
          .value = &copy,
          .help = "where x is read: full (a copy of all of x), compact (only the elements that a rank needs)",
          .choices = {"full", "compact"}};
}

Exchange make_exchange(const std::vector<std::int64_t>& counts, std::vector<std::int32_t> indices) {
  Exchange exchange{{}, std::move(indices)};
  std::int64_t first = 0;
  for (std::size_t peer = 0; peer < counts.size(); ++peer) {
    if (counts[peer] > 0) exchange.peers.push_back({static_cast<int>(peer), first, counts[peer]});
    first += counts[peer];
  }
  return exchange;
}

std::vector<std::vector<std::int32_t>> needed_elements(const SpmvInput& input, const OwnRows& own, int rank) {
  const problem::Distribution& distribution = input.distribution;
  if (input.own_rows() == 0)
    return std::vector<std::vector<std::int32_t>>(static_cast<std::size_t>(distribution.ranks()));
  std::vector<bool> is_needed(static_cast<std::size_t>(distribution.size()));
  for (std::int64_t i = 0; i < input.own_rows() * own.r_nz; ++i)
    is_needed[static_cast<std::size_t>(own.columns[i])] = true;
  std::vector<std::vector<std::int32_t>> needed(static_cast<std::size_t>(distribution.ranks()));
  for (std::int64_t block = 0; block < distribution.blocks(); ++block) {
    const int owner = distribution.owner_of_block(block);
    if (owner == rank) continue;
    const std::int64_t begin = distribution.block_begin(block);
    for (std::int64_t element = begin; element < begin + distribution.block_length(block); ++element) {
      if (is_needed[static_cast<std::size_t>(element)])
        needed[static_cast<std::size_t>(owner)].push_back(static_cast<std::int32_t>(element));
    }
  }
  return needed;
}

Work find_work(const SpmvInput& input, const OwnRows& own, std::size_t needed) {
  if (input.own_rows() == 0) return {};
  const std::int64_t bits_bytes = (input.distribution.size() + 7) / 8;
  return {.memory_bytes = (input.own_rows() * own.r_nz + static_cast<std::int64_t>(needed)) * index_bytes +
                          2 * bits_bytes};
}

Work places_work(std::size_t elements) {
  return {.memory_bytes = 2 * index_bytes * static_cast<std::int64_t>(elements)};
}

void make_compact(const SpmvInput& input, int rank, OwnRows& own, Exchange& incoming) {
  const std::int64_t rows = input.own_rows();
  const auto place_of = [&](std::int32_t column) {
    const int owner = input.distribution.owner(column);
    if (owner == rank) return input.local_index(column);
    const PeerValues& from = *std::ranges::lower_bound(incoming.peers, owner, {}, &PeerValues::peer);
    const auto elements = from.of(incoming.indices.data());
    return rows + from.first + (std::ranges::lower_bound(elements, column) - elements.begin());
  };
  for (std::int64_t i = 0; i < rows * own.r_nz; ++i)
    own.columns[i] = static_cast<std::int32_t>(place_of(own.columns[i]));
  std::iota(incoming.indices.begin(), incoming.indices.end(), static_cast<std::int32_t>(rows));
}

void pack(const Exchange& outgoing, const double* x, double* buffer) {
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < outgoing.values(); ++k)
    buffer[k] = x[outgoing.indices[k]];
}

void unpack(const Exchange& incoming, const double* buffer, double* x_copy) {
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < incoming.values(); ++k)
    x_copy[incoming.indices[k]] = buffer[k];
}

std::int64_t pack_bytes(std::int64_t values) {
  return values * (2 * double_bytes + index_bytes);
}

Work unpack_work(std::int64_t values) {
  return {.memory_bytes = values * (double_bytes + index_bytes + cache_line_bytes),
          .scattered_stores = values};
}

Work compact_unpack_work(std::int64_t values) {
  return {.memory_bytes = values * (double_bytes + index_bytes)};
}

}  // namespace finegrain::kernels
