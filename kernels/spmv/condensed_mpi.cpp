// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx with condensed messages: Listing 5 of Lagravière et al. 2019 (UPCv3),
// with MPI's two-sided messages in place of upc_memput and barriers, and OpenMP threads within a rank. Parse,
// allocate, time after a warm-up, validate.
#include <fmt/format.h>
#include <omp.h>

#include <vector>

#include "kernels/machine/array.hpp"
#include "kernels/mpi/run_report.hpp"
#include "kernels/mpi/together.hpp"
#include "kernels/mpi/trace_recording.hpp"
#include "kernels/problem/distribution.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

constexpr std::int64_t double_bytes = sizeof(double);
constexpr std::int64_t index_bytes = sizeof(std::int32_t);
constexpr std::int64_t cache_line_bytes = 64;
constexpr std::int64_t cache_line_doubles = cache_line_bytes / double_bytes;
/// Entries of A and J that are asked for before they are used. The gather of x keeps the hardware's own
/// prefetcher from running ahead: without this the loop gets 0.8 of the memory's bandwidth, with it all
/// (2 ranks on a Xeon; 256 to 1,024 entries do equally well).
constexpr std::int64_t prefetch_distance = 512;

struct Options : RunOptions {
  std::filesystem::path matrix;
  std::optional<std::int64_t> block_size;
};

Options parse(const MpiSession& mpi, int argc, char** argv) {
  Options options;
  CLI::App app{"Sparse matrix-vector product with condensed messages (MPI + OpenMP), checked and timed."};
  app.add_option("--matrix", options.matrix, "matrix file, as finegrain mesh makes it")->required();
  app.add_option("--blocksize", options.block_size,
                 "BLOCKSIZE: consecutive rows with one owner (default: one block a rank)");
  add_run_options(app, options);
  parse_command_line(mpi, app, argc, argv);
  return options;
}

/// Element `element` of the vector that the iterations start from.
double start_value(std::int64_t element) {
  return 1.0 + static_cast<double>(element * 7919 % 1024) / 1024.0;
}

/// Consecutive elements that this rank owns. It stores its blocks one after the other.
struct Block {
  std::int64_t global_begin;
  std::int64_t local_begin;
  std::int64_t length;
};

std::vector<Block> blocks_of(const Distribution& distribution, int rank) {
  std::vector<Block> blocks;
  std::int64_t local_begin = 0;
  for (std::int64_t block = rank; block < distribution.blocks(); block += distribution.ranks()) {
    blocks.push_back({distribution.block_begin(block), local_begin, distribution.block_length(block)});
    local_begin += blocks.back().length;
  }
  return blocks;
}

/// One rank's rows of M, and of the vectors: the arrays D, A, J, x, y of the listing, and its private copy of
/// x.
struct OwnRows {
  std::int64_t rows;
  int r_nz;
  Array<double> diagonal;       ///< shape [rows]
  Array<double> values;         ///< shape [rows * r_nz]
  Array<std::int32_t> columns;  ///< shape [rows * r_nz], global
  Array<double> x;              ///< shape [rows]
  Array<double> y;              ///< shape [rows]
  Array<double> x_copy;         ///< shape [n]; only own and received elements are ever written
};

OwnRows allocate_own_rows(const EllpackView& matrix, const std::vector<Block>& blocks) {
  const std::int64_t rows = blocks.empty() ? 0 : blocks.back().local_begin + blocks.back().length;
  const std::int64_t r_nz = matrix.r_nz;
  OwnRows own{rows,
              matrix.r_nz,
              allocate<double>(rows),
              allocate<double>(rows * r_nz),
              allocate<std::int32_t>(rows * r_nz),
              allocate<double>(rows),
              allocate<double>(rows),
              allocate<double>(matrix.rows)};
#pragma omp parallel
  for (const Block& block : blocks) {
#pragma omp for schedule(static) nowait
    for (std::int64_t k = 0; k < block.length; ++k) {
      const std::int64_t row = block.local_begin + k;
      const std::int64_t global_row = block.global_begin + k;
      own.diagonal[row] = matrix.diagonal[global_row];
      own.x[row] = start_value(global_row);
      own.y[row] = 0.0;
      own.x_copy[global_row] = 0.0;
      for (std::int64_t j = 0; j < r_nz; ++j) {
        own.values[row * r_nz + j] = matrix.values[global_row * r_nz + j];
        own.columns[row * r_nz + j] = matrix.columns[global_row * r_nz + j];
      }
    }
  }
  return own;
}

/// The values exchanged with one other rank: a part of an Exchange's arrays.
struct PeerValues {
  int peer;
  std::int64_t first;
  std::int64_t count;
};

/// What one rank sends, or receives: each value's place in its memory, and the buffer that messages go
/// through.
struct Exchange {
  std::vector<PeerValues> peers;      ///< ascending
  std::vector<std::int32_t> indices;  ///< into x (sending) or x_copy (receiving), shape [values]
  std::vector<double> buffer;         ///< shape [values]

  std::int64_t values() const { return static_cast<std::int64_t>(indices.size()); }
};

Exchange make_exchange(const std::vector<int>& counts, std::vector<std::int32_t> indices) {
  Exchange exchange{{}, std::move(indices), {}};
  std::int64_t first = 0;
  for (std::size_t peer = 0; peer < counts.size(); ++peer) {
    if (counts[peer] > 0) exchange.peers.push_back({static_cast<int>(peer), first, counts[peer]});
    first += counts[peer];
  }
  exchange.buffer.resize(exchange.indices.size());
  return exchange;
}

/// The elements of x that this rank's rows read and other ranks own: ascending for each owner.
std::vector<std::vector<std::int32_t>> needed_elements(const MpiSession& mpi,
                                                       const Distribution& distribution, const OwnRows& own) {
  std::vector<bool> is_needed(static_cast<std::size_t>(distribution.size()));
  for (std::int64_t i = 0; i < own.rows * own.r_nz; ++i)
    is_needed[static_cast<std::size_t>(own.columns[i])] = true;
  std::vector<std::vector<std::int32_t>> needed(static_cast<std::size_t>(mpi.ranks()));
  for (std::int64_t block = 0; block < distribution.blocks(); ++block) {
    const int owner = distribution.owner_of_block(block);
    if (owner == mpi.rank()) continue;
    const std::int64_t begin = distribution.block_begin(block);
    for (std::int64_t element = begin; element < begin + distribution.block_length(block); ++element) {
      if (is_needed[static_cast<std::size_t>(element)])
        needed[static_cast<std::size_t>(owner)].push_back(static_cast<std::int32_t>(element));
    }
  }
  return needed;
}

struct Lists {
  Exchange incoming;
  Exchange outgoing;
};

std::vector<int> running_sum(const std::vector<int>& counts) {
  std::vector<int> starts;
  int sum = 0;
  for (const int count : counts) {
    starts.push_back(sum);
    sum += count;
  }
  return starts;
}

/// The preparation step of section 4.3.1: each rank finds what it needs, and tells the owners.
Lists find_lists(const MpiSession& mpi, const Distribution& distribution, const OwnRows& own) {
  const auto needed = needed_elements(mpi, distribution, own);
  std::vector<int> counts_in;
  std::vector<std::int32_t> elements_in;
  for (const auto& of_owner : needed) {
    counts_in.push_back(static_cast<int>(of_owner.size()));
    elements_in.insert(elements_in.end(), of_owner.begin(), of_owner.end());
  }
  std::vector<int> counts_out(counts_in.size());
  MPI_Alltoall(counts_in.data(), 1, MPI_INT, counts_out.data(), 1, MPI_INT, mpi.comm());

  const std::vector<int> starts_in = running_sum(counts_in);
  const std::vector<int> starts_out = running_sum(counts_out);
  std::vector<std::int32_t> elements_out(static_cast<std::size_t>(starts_out.back() + counts_out.back()));
  MPI_Alltoallv(elements_in.data(), counts_in.data(), starts_in.data(), MPI_INT32_T, elements_out.data(),
                counts_out.data(), starts_out.data(), MPI_INT32_T, mpi.comm());
  for (std::int32_t& element : elements_out) {
    const std::int64_t own_block = distribution.block_of(element) / distribution.ranks();
    element = static_cast<std::int32_t>(own_block * distribution.block_size() +
                                        element % distribution.block_size());
  }
  return {make_exchange(counts_in, std::move(elements_in)),
          make_exchange(counts_out, std::move(elements_out))};
}

void pack(Exchange& outgoing, const OwnRows& own) {
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < outgoing.values(); ++k)
    outgoing.buffer[k] = own.x[outgoing.indices[k]];
}

void unpack(const Exchange& incoming, OwnRows& own) {
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < incoming.values(); ++k)
    own.x_copy[incoming.indices[k]] = incoming.buffer[k];
}

void copy_own_blocks(const std::vector<Block>& blocks, OwnRows& own) {
#pragma omp parallel
  for (const Block& block : blocks) {
#pragma omp for schedule(static) nowait
    for (std::int64_t k = 0; k < block.length; ++k)
      own.x_copy[block.global_begin + k] = own.x[block.local_begin + k];
  }
}

void compute(const std::vector<Block>& blocks, OwnRows& own) {
  const std::int64_t r_nz = own.r_nz;
#pragma omp parallel
  for (const Block& block : blocks) {
    const double* loc_x = own.x_copy.get() + block.global_begin;
    double* loc_y = own.y.get() + block.local_begin;
    const double* loc_D = own.diagonal.get() + block.local_begin;
    const double* loc_A = own.values.get() + block.local_begin * r_nz;
    const std::int32_t* loc_J = own.columns.get() + block.local_begin * r_nz;
#pragma omp for schedule(static) nowait
    for (std::int64_t k = 0; k < block.length; ++k) {
      __builtin_prefetch(loc_A + k * r_nz + prefetch_distance);
      __builtin_prefetch(loc_A + k * r_nz + prefetch_distance + cache_line_doubles);
      __builtin_prefetch(loc_J + k * r_nz + prefetch_distance);
      double sum = 0.0;
      for (std::int64_t j = 0; j < r_nz; ++j)
        sum += loc_A[k * r_nz + j] * own.x_copy[loc_J[k * r_nz + j]];
      loc_y[k] = loc_D[k] * loc_x[k] + sum;
    }
  }
}

/// One y = Mx, and the swap that makes y the next iteration's x.
void iterate(RecordedMessages& messages, Lists& lists, const std::vector<Block>& blocks, OwnRows& own) {
  messages.phase(PhaseKind::receive, 0, [&] {
    for (const PeerValues& from : lists.incoming.peers)
      messages.receive({lists.incoming.buffer.data() + from.first, static_cast<std::size_t>(from.count)},
                       from.peer);
  });
  const std::int64_t packed_bytes = lists.outgoing.values() * (2 * double_bytes + index_bytes);  // eq. (12)
  messages.phase(PhaseKind::pack, packed_bytes, [&] { pack(lists.outgoing, own); });
  messages.phase(PhaseKind::send, 0, [&] {
    for (const PeerValues& to : lists.outgoing.peers)
      messages.send({lists.outgoing.buffer.data() + to.first, static_cast<std::size_t>(to.count)}, to.peer);
  });
  const std::int64_t copied_bytes = 2 * own.rows * double_bytes;  // eq. (14), blocks at their true lengths
  messages.phase(PhaseKind::copy, copied_bytes, [&] { copy_own_blocks(blocks, own); });
  messages.phase(PhaseKind::wait, 0, [&] { messages.wait(); });
  const std::int64_t unpacked_bytes =
      lists.incoming.values() * (double_bytes + index_bytes + cache_line_bytes);  // eq. (15)
  messages.phase(PhaseKind::unpack, unpacked_bytes, [&] { unpack(lists.incoming, own); });
  const std::int64_t computed_bytes =
      own.rows * (own.r_nz * (double_bytes + index_bytes) + 3 * double_bytes);  // eq. (6)
  messages.phase(PhaseKind::compute, computed_bytes, [&] { compute(blocks, own); });
  std::swap(own.x, own.y);
}

/// x after some iterations of Listing 1, on rank 0 alone.
std::vector<double> solve_alone(const EllpackView& matrix, std::int64_t iterations) {
  std::vector<double> x(static_cast<std::size_t>(matrix.rows));
  for (std::int64_t element = 0; element < matrix.rows; ++element)
    x[element] = start_value(element);
  std::vector<double> y(x.size());
  for (std::int64_t i = 0; i < iterations; ++i) {
    multiply(matrix, x, y);
    std::swap(x, y);
  }
  return x;
}

/// The blocks of x that a rank owns, one after the other.
std::vector<double> own_part(const std::vector<double>& x, const std::vector<Block>& blocks) {
  std::vector<double> part;
  for (const Block& block : blocks) {
    const auto begin = x.begin() + block.global_begin;
    part.insert(part.end(), begin, begin + block.length);
  }
  return part;
}

/// Compares each rank's part of x with the sequential result after as many iterations, which rank 0 computes.
CheckResult check(const MpiSession& mpi, const EllpackView& matrix, const Distribution& distribution,
                  std::int64_t iterations, const OwnRows& own) {
  std::vector<double> expected = together(mpi, [&] {
    return mpi.is_first() ? solve_alone(matrix, iterations)
                          : std::vector<double>(static_cast<std::size_t>(own.rows));
  });
  if (mpi.is_first()) {
    for (int rank = 1; rank < mpi.ranks(); ++rank) {
      const std::vector<double> part = own_part(expected, blocks_of(distribution, rank));
      MPI_Send(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, rank, 0, mpi.comm());
    }
    expected = own_part(expected, blocks_of(distribution, 0));
  } else {
    MPI_Recv(expected.data(), static_cast<int>(expected.size()), MPI_DOUBLE, 0, 0, mpi.comm(),
             MPI_STATUS_IGNORE);
  }
  RoundOffCheck round_off;
  round_off.compare({own.x.get(), static_cast<std::size_t>(own.rows)}, expected);
  return round_off.finish(mpi);
}

int run(const MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const MatrixFile file = together(mpi, [&] { return MatrixFile(options.matrix); });
  const EllpackView& matrix = file.view();
  const Distribution distribution = together(mpi, [&] {
    return Distribution(matrix.rows, mpi.ranks(),
                        options.block_size.value_or(one_block_per_rank(matrix.rows, mpi.ranks())));
  });
  const NodeLayout layout = find_node_layout(mpi, omp_get_max_threads(), options.ranks_per_node);

  const std::vector<Block> blocks = blocks_of(distribution, mpi.rank());
  OwnRows own = together(mpi, [&] { return allocate_own_rows(matrix, blocks); });
  Lists lists = find_lists(mpi, distribution, own);

  std::optional<TraceRecording> recording;
  if (options.record_folder) {
    const SpmvProblem problem{file.name(), file.digest(), matrix.rows, matrix.r_nz,
                              distribution.block_size()};
    recording.emplace(mpi, *options.record_folder,
                      describe_run(mpi, options, layout, omp_get_max_threads(), problem));
  }
  RecordedMessages messages(mpi.comm());
  const IterationSeconds seconds =
      timed_loop(mpi, options, messages, recording ? recording->recorder() : nullptr,
                 [&] { iterate(messages, lists, blocks, own); });
  if (recording) recording->finish();

  std::optional<CheckResult> checked;
  if (options.check)
    checked = check(mpi, matrix, distribution, options.warmup_iterations + options.iterations, own);
  // 2 operations an off-diagonal entry, 2 for the diagonal.
  const double flops = static_cast<double>(matrix.rows) * (2.0 * matrix.r_nz + 2.0);
  return report(
      mpi, options,
      {"spmv_condensed_mpi",
       fmt::format("{}, {} rows, BLOCKSIZE {}", file.name(), matrix.rows, distribution.block_size()),
       omp_get_max_threads(), layout, seconds, flops, checked});
}

}  // namespace
}  // namespace finegrain

int main(int argc, char** argv) {
  return finegrain::run_mpi_program(argc, argv, finegrain::run);
}
