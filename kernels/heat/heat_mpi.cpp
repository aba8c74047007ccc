// SPDX-License-Identifier: MIT
//
// Explicit 2D heat equation: Listings 7 and 8 of Lagravière et al. 2019, with MPI's two-sided messages in
// place of upc_memget and barriers, and OpenMP threads within a rank. Of the four sides of a part, up and
// down are rows, which lie in one piece; left and right are columns, which are packed. Parse, allocate, time
// after a warm-up, validate.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <vector>

#include "kernels/machine/array.hpp"
#include "kernels/mpi/run_report.hpp"
#include "kernels/mpi/together.hpp"
#include "kernels/mpi/trace_recording.hpp"
#include "kernels/problem/heat_grid.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

constexpr std::int64_t double_bytes = sizeof(double);
constexpr std::int64_t cache_line_bytes = 64;

// Unit spacing; below dt = 1/4 the scheme is stable.
constexpr double dt = 0.2;
constexpr double dx2i = 1.0;
constexpr double dy2i = 1.0;
constexpr double flops_per_point = 11.0;  // of the update in step()

struct Options : RunOptions {
  std::string grid = "1000x1000";
  std::optional<int> mprocs;
  std::optional<int> nprocs;
};

Options parse(const MpiSession& mpi, int argc, char** argv) {
  Options options;
  CLI::App app{"Explicit 2D heat solver with halo exchange (MPI + OpenMP), checked and timed."};
  app.add_option("--grid", options.grid, "inner points, ROWSxCOLUMNS")->capture_default_str();
  app.add_option("--mprocs", options.mprocs, "rows of ranks (default: as near to a square as ranks allow)");
  app.add_option("--nprocs", options.nprocs, "columns of ranks");
  add_run_options(app, options);
  parse_command_line(mpi, app, argc, argv);
  return options;
}

constexpr std::int64_t longest_side = std::numeric_limits<int>::max() - 2;

struct GridSize {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

GridSize parse_grid(const std::string& text) {
  const char* end = text.data() + text.size();
  GridSize size;
  const auto rows = std::from_chars(text.data(), end, size.rows);
  if (rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x') {
    const auto columns = std::from_chars(rows.ptr + 1, end, size.columns);
    if (columns.ec == std::errc() && columns.ptr == end) {
      if (std::max(size.rows, size.columns) <= longest_side) return size;
      throw InputError(
          fmt::format("--grid: '{}' is too large (MPI counts a side in 31 bits). Give at most {} a "
                      "side",
                      text, longest_side));
    }
  }
  throw InputError(fmt::format("--grid: '{}' is no grid (rows x columns). Write e.g. 1000x2000", text));
}

HeatGrid make_grid(const Options& options, int ranks) {
  const GridSize size = parse_grid(options.grid);
  int mprocs = 1;
  for (int divisor = 1; divisor * divisor <= ranks; ++divisor)
    if (ranks % divisor == 0) mprocs = divisor;
  if (options.mprocs) {
    mprocs = *options.mprocs;
  } else if (options.nprocs && *options.nprocs > 0) {
    mprocs = ranks / *options.nprocs;
  }
  const int nprocs = options.nprocs.value_or(mprocs > 0 ? ranks / mprocs : 0);
  const HeatGrid grid(size.rows, size.columns, mprocs, nprocs);
  if (grid.ranks() != ranks) {
    throw InputError(
        fmt::format("--mprocs, --nprocs: {} x {} parts for {} ranks (each has one). Start {} ranks", mprocs,
                    nprocs, ranks, grid.ranks()));
  }
  return grid;
}

/// Temperature at the start; points 0 and rows + 1, and columns likewise, are the boundary, which stays as it
/// is.
double start_value(std::int64_t row, std::int64_t column) {
  return static_cast<double>((row * 31 + column * 17) % 101) / 101.0;
}

/// An array of (rows + 2) x (columns + 2) points: a part and its halo, or boundary.
class Field {
 public:
  /// The start temperatures; the threads that will update a row write it first.
  explicit Field(const HeatPart& part)
      : columns_(part.columns),
        stride_(part.columns + 2),
        points_(allocate<double>((part.rows + 2) * stride_)) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 1; i <= part.rows; ++i)
      fill_row(i, part);
    fill_row(0, part);
    fill_row(part.rows + 1, part);
  }

  double& at(std::int64_t i, std::int64_t k) {
    return points_[i * stride_ + k];
  }
  double at(std::int64_t i, std::int64_t k) const {
    return points_[i * stride_ + k];
  }
  double* row(std::int64_t i) {
    return points_.get() + i * stride_;
  }
  const double* row(std::int64_t i) const {
    return points_.get() + i * stride_;
  }
  /// The inner points of one row.
  std::span<double> inner(std::int64_t i) {
    return {row(i) + 1, static_cast<std::size_t>(columns_)};
  }

 private:
  void fill_row(std::int64_t i, const HeatPart& part) {
    for (std::int64_t k = 0; k < stride_; ++k)
      points_[i * stride_ + k] = start_value(part.first_row + i, part.first_column + k);
  }

  std::int64_t columns_;
  std::int64_t stride_;
  Array<double> points_;
};

/// One step of the computation in time. Source: Listing 8, with two departures: the explicit step in full,
/// phi + dt * Laplacian, where the listing leaves phi out; and the caller swaps phi and phi_new, where the
/// listing copies.
void step(const HeatPart& part, const Field& phi, Field& phi_new) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 1; i <= part.rows; ++i) {
    const double* up = phi.row(i - 1);
    const double* here = phi.row(i);
    const double* down = phi.row(i + 1);
    double* next = phi_new.row(i);
    for (std::int64_t k = 1; k <= part.columns; ++k)
      next[k] = here[k] + dt * ((up[k] + down[k] - 2.0 * here[k]) * dy2i +
                                (here[k - 1] + here[k + 1] - 2.0 * here[k]) * dx2i);
  }
}

/// The other rank across one side, and the buffers of a column that is packed for it.
struct Neighbour {
  Side side;
  int peer;
  std::vector<double> outgoing;  ///< empty for rows
  std::vector<double> incoming;

  bool is_column() const { return side == Side::left || side == Side::right; }
};

/// Whether the part ends inside the grid on a side, and then its neighbour there, as the listing finds them.
std::vector<Neighbour> find_neighbours(const HeatGrid& grid, int rank) {
  const HeatPart part = grid.part(rank);
  struct Candidate {
    Side side;
    bool exists;
    int peer;
  };
  const std::array<Candidate, 4> candidates = {{
      {Side::left, part.first_column > 0, rank - 1},
      {Side::right, part.first_column + part.columns < grid.columns(), rank + 1},
      {Side::up, part.first_row > 0, rank - grid.nprocs()},
      {Side::down, part.first_row + part.rows < grid.rows(), rank + grid.nprocs()},
  }};
  std::vector<Neighbour> neighbours;
  for (const auto& [side, exists, peer] : candidates) {
    if (!exists) continue;
    Neighbour& neighbour = neighbours.emplace_back(Neighbour{side, peer, {}, {}});
    if (!neighbour.is_column()) continue;
    neighbour.outgoing.resize(static_cast<std::size_t>(part.rows));
    neighbour.incoming.resize(static_cast<std::size_t>(part.rows));
  }
  return neighbours;
}

void pack(const HeatPart& part, const Field& phi, Neighbour& to) {
  const std::int64_t column = to.side == Side::left ? 1 : part.columns;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 1; i <= part.rows; ++i)
    to.outgoing[i - 1] = phi.at(i, column);
}

void unpack(const HeatPart& part, const Neighbour& from, Field& phi) {
  const std::int64_t column = from.side == Side::left ? 0 : part.columns + 1;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 1; i <= part.rows; ++i)
    phi.at(i, column) = from.incoming[i - 1];
}

/// One step in time: halo exchange, then computation, then the swap of phi and phi_new.
void iterate(RecordedMessages& messages, const HeatPart& part, std::vector<Neighbour>& neighbours, Field& phi,
             Field& phi_new) {
  std::int64_t column_values = 0;
  for (const Neighbour& neighbour : neighbours)
    if (neighbour.is_column()) column_values += part.rows;
  const std::int64_t packed_bytes = column_values * (double_bytes + cache_line_bytes);  // eq. (19)

  messages.phase(PhaseKind::receive, 0, [&] {
    for (Neighbour& from : neighbours) {
      const std::int64_t halo_row = from.side == Side::up ? 0 : part.rows + 1;
      messages.receive(from.is_column() ? std::span(from.incoming) : phi.inner(halo_row), from.peer);
    }
  });
  messages.phase(PhaseKind::pack, packed_bytes, [&] {
    for (Neighbour& to : neighbours)
      if (to.is_column()) pack(part, phi, to);
  });
  messages.phase(PhaseKind::send, 0, [&] {
    for (Neighbour& to : neighbours) {
      const std::int64_t edge_row = to.side == Side::up ? 1 : part.rows;
      messages.send(to.is_column() ? std::span(to.outgoing) : phi.inner(edge_row), to.peer);
    }
  });
  messages.phase(PhaseKind::wait, 0, [&] { messages.wait(); });
  messages.phase(PhaseKind::unpack, packed_bytes, [&] {
    for (const Neighbour& from : neighbours)
      if (from.is_column()) unpack(part, from, phi);
  });
  const std::int64_t computed_bytes = 3 * part.rows * part.columns * double_bytes;  // eq. (22)
  messages.phase(PhaseKind::compute, computed_bytes, [&] { step(part, phi, phi_new); });
  std::swap(phi, phi_new);
}

/// The whole grid after some iterations, on rank 0 alone and without messages.
Field solve_alone(const HeatGrid& grid, std::int64_t iterations) {
  const HeatPart whole{0, grid.rows(), 0, grid.columns()};
  Field phi(whole);
  Field phi_new(whole);
  for (std::int64_t i = 0; i < iterations; ++i) {
    step(whole, phi, phi_new);
    std::swap(phi, phi_new);
  }
  return phi;
}

/// Compares each rank's part with rank 0's solution of the whole grid after as many iterations.
CheckResult check(const MpiSession& mpi, const HeatGrid& grid, std::int64_t iterations, Field& phi) {
  constexpr int tag = 2;
  const HeatPart part = grid.part(mpi.rank());
  const auto columns = static_cast<std::size_t>(part.columns);
  const std::optional<Field> whole = together(
      mpi, [&] { return mpi.is_first() ? std::optional(solve_alone(grid, iterations)) : std::nullopt; });
  RoundOffCheck round_off;
  if (mpi.is_first()) {
    for (int rank = 1; rank < mpi.ranks(); ++rank) {
      const HeatPart other = grid.part(rank);
      for (std::int64_t i = 1; i <= other.rows; ++i) {
        MPI_Send(whole->row(other.first_row + i) + 1 + other.first_column, static_cast<int>(other.columns),
                 MPI_DOUBLE, rank, tag, mpi.comm());
      }
    }
    for (std::int64_t i = 1; i <= part.rows; ++i)
      round_off.compare(phi.inner(i), {whole->row(i) + 1, columns});
  } else {
    std::vector<double> expected(columns);
    for (std::int64_t i = 1; i <= part.rows; ++i) {
      MPI_Recv(expected.data(), static_cast<int>(columns), MPI_DOUBLE, 0, tag, mpi.comm(), MPI_STATUS_IGNORE);
      round_off.compare(phi.inner(i), expected);
    }
  }
  return round_off.finish(mpi);
}

int run(const MpiSession& mpi, int argc, char** argv) {
  const Options options = parse(mpi, argc, argv);
  const HeatGrid grid = together(mpi, [&] { return make_grid(options, mpi.ranks()); });
  const NodeLayout layout = find_node_layout(mpi, omp_get_max_threads(), options.ranks_per_node);

  const HeatPart part = grid.part(mpi.rank());
  Field phi = together(mpi, [&] { return Field(part); });
  Field phi_new = together(mpi, [&] { return Field(part); });
  std::vector<Neighbour> neighbours = find_neighbours(grid, mpi.rank());

  std::optional<TraceRecording> recording;
  if (options.record_folder) {
    const HeatProblem problem{grid.rows(), grid.columns(), grid.mprocs(), grid.nprocs()};
    recording.emplace(mpi, *options.record_folder,
                      describe_run(mpi, options, layout, omp_get_max_threads(), problem));
  }
  RecordedMessages messages(mpi.comm());
  const IterationSeconds seconds =
      timed_loop(mpi, options, messages, recording ? recording->recorder() : nullptr,
                 [&] { iterate(messages, part, neighbours, phi, phi_new); });
  if (recording) recording->finish();

  std::optional<CheckResult> checked;
  if (options.check) checked = check(mpi, grid, options.warmup_iterations + options.iterations, phi);
  const double flops =
      flops_per_point * static_cast<double>(grid.rows()) * static_cast<double>(grid.columns());
  return report(mpi, options,
                {"heat_mpi",
                 fmt::format("{} x {} points in {} x {} parts", grid.rows(), grid.columns(), grid.mprocs(),
                             grid.nprocs()),
                 omp_get_max_threads(), layout, seconds, flops, checked});
}

}  // namespace
}  // namespace finegrain

int main(int argc, char** argv) {
  return finegrain::run_mpi_program(argc, argv, finegrain::run);
}
