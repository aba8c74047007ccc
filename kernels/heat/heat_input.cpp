// SPDX-License-Identifier: MIT
#include "kernels/heat/heat_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "kernels/problem/heat_problem.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::kernels {
namespace {

constexpr double flops_per_point = 11.0;  // the operations of the update in step()
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
      throw InputError("--grid", fmt::format("'{}' is too large (MPI counts a side in 31 bits)", text),
                       fmt::format("Give at most {} a side", longest_side));
    }
  }
  throw InputError("--grid", fmt::format("'{}' is no grid (rows x columns)", text), "Write e.g. 1000x2000");
}

problem::HeatGrid make_grid(const HeatOptions& options, int ranks) {
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
  const problem::HeatGrid grid(size.rows, size.columns, mprocs, nprocs);
  if (grid.ranks() != ranks) {
    throw InputError(
        "--mprocs, --nprocs",
        fmt::format("{} x {} parts for {} (each has one)", mprocs, nprocs, format_count(ranks, "rank")),
        fmt::format("Start {}", format_count(grid.ranks(), "rank")));
  }
  return grid;
}

}  // namespace

HeatOptions parse_heat_options(const Session& session, const char* description, int argc, char** argv,
                               const std::vector<std::string>& completions) {
  HeatOptions options;
  const std::vector<Option> own{
      {"--grid", &options.grid, "inner points, ROWSxCOLUMNS"},
      {"--mprocs", &options.mprocs, "rows of ranks (default: as near to a square as ranks allow)"},
      {"--nprocs", &options.nprocs, "columns of ranks"},
      {.flag = "--update",
       .value = &options.update,
       .help = "swap the arrays of old and new points, or copy the points (Listing 8)",
       .choices = {"swap", "copy"}}};
  parse_kernel_options(session, description, own, options, completions, argc, argv);
  return options;
}

problem::HeatGrid open_grid(const Session& session, const HeatOptions& options) {
  return together(session, [&] { return make_grid(options, session.ranks()); });
}

KernelRun describe(const problem::HeatGrid& grid, const HeatOptions& options, const std::string& kernel,
                   Transfer transfer, Completion completion) {
  return {.name = kernel,
          .problem_text = fmt::format("{} x {} points in {} x {} parts", grid.rows(), grid.columns(),
                                      grid.mprocs(), grid.nprocs()),
          .problem =
              problem::HeatProblem{grid.rows(), grid.columns(), grid.mprocs(), grid.nprocs(),
                                   options.copies() ? problem::HeatUpdate::copy : problem::HeatUpdate::swap},
          .policy = "condensed",
          .transfer = transfer,
          .completion = completion,
          .flops_per_iteration =
              flops_per_point * static_cast<double>(grid.rows()) * static_cast<double>(grid.columns())};
}

}  // namespace finegrain::kernels
