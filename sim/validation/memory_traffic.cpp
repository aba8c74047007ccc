// SPDX-License-Identifier: MIT
#include "sim/validation/memory_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/problem/npb_cg_matrix.hpp"
#include "sim/model/published.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/policy/policy.hpp"
#include "sim/replay/memory_bytes.hpp"

namespace finegrain::validation {
namespace {

constexpr double bytes_a_gb = 1e9;
constexpr const char* published_class = "C";
constexpr std::int64_t bytes_a_nonzero = sizeof(double) + sizeof(std::int32_t);  // the value and its column

std::int64_t nonzeros_of(const problem::NpbCgClass& of_class) {
  const problem::NpbCgMatrix matrix(of_class);
  problem::NpbCgMatrix::Rows rows(matrix);
  std::int64_t nonzeros = 0;
  for (std::int64_t row = 0; row < of_class.rows; ++row)
    nonzeros += static_cast<std::int64_t>(rows.columns(row).size());
  return nonzeros;
}

/// One iteration on one node.
Schedule cg_schedule(const std::string& class_name, int processes) {
  const auto pattern = pattern::pattern_kind("npb-cg").open(class_name, "class");
  return policy::make_schedule(*pattern, {.problem = pattern->problem(processes, {}),
                                          .policy = "condensed",
                                          .transfer = Transfer::two_sided,
                                          .completion = Completion::together,
                                          .ranks = processes,
                                          .ranks_per_node = processes});
}

}  // namespace

std::vector<CgTraffic> cg_traffic(const std::string& class_name, const std::vector<int>& processes,
                                  const platform::PlatformCosts& costs) {
  const problem::NpbCgClass& of_class = problem::npb_cg_class(class_name, "class");
  const std::int64_t matrix_bytes =
      bytes_a_nonzero * nonzeros_of(of_class) * (problem::npb_cg_steps + 1) * of_class.iterations;
  std::vector<CgTraffic> all;
  for (const int count : processes) {
    const Schedule schedule = cg_schedule(class_name, count);
    std::int64_t work_bytes = 0;
    for (const Body& body : schedule.ranks)
      work_bytes += memory_bytes(body.operations);
    const double node_bytes =
        replay::node_memory_bytes(schedule, costs, problem::Placement(count, count)).front();
    all.push_back({.matrix_bytes = static_cast<double>(matrix_bytes),
                   .vectors_bytes = static_cast<double>(work_bytes * of_class.iterations - matrix_bytes),
                   .copies_bytes = (node_bytes - static_cast<double>(work_bytes)) * of_class.iterations});
  }
  return all;
}

std::vector<MeasuredTraffic> published_cg_traffic() {
  const model::TextTable table = model::published_text("npb_memory_traffic");
  const model::NumberTable sent = model::published_table("npb_cg_traffic_check");
  std::vector<MeasuredTraffic> all;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (table.at(row, "kernel") != "CG") continue;
    const auto number = [&](const char* column) { return table.number_at(row, column).value(); };
    MeasuredTraffic& one = all.emplace_back(MeasuredTraffic{.processes = static_cast<int>(number("threads")),
                                                            .sockets = static_cast<int>(number("sockets")),
                                                            .mpi_gb = number("mpi_memory_gb"),
                                                            .openmp_gb = number("openmp_memory_gb"),
                                                            .upc_gb = number("upc_memory_gb")});
    for (std::size_t i = 0; i < sent.rows.size(); ++i)
      if (sent.at(i, "processes") == one.processes) one.sent_gb = sent.at(i, "sent_gb");
  }
  return all;
}

output::Table cg_traffic_as_table(const platform::PlatformCosts& costs) {
  const std::vector<MeasuredTraffic> measured = published_cg_traffic();
  std::vector<int> processes;
  for (const MeasuredTraffic& one : measured)
    processes.push_back(one.processes);
  std::ranges::sort(processes);
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  const std::vector<CgTraffic> computed = cg_traffic(published_class, processes, costs);

  output::Table table;
  table.name = "traffic";
  table.title = "Table III: memory traffic of NPB CG, class C, on one node (thesis, Paper I)";
  table.columns = {{"processes", "processes"},
                   {"sockets", "sockets"},
                   {"mpi_gb", "MPI", 1},
                   {"upc_gb", "UPC", 1},
                   {"openmp_gb", "OpenMP", 1},
                   {"matrix_gb", "matrix", 1},
                   {"copies_gb", "copies", 1},
                   {"sum_gb", "sum", 1},
                   {"off_percent", "off MPI %", 1},
                   {"vectors_gb", "vectors", 1},
                   {"mpi_extra", "MPI more a byte sent", 2},
                   {"upc_extra", "UPC more", 2},
                   {"computed_extra", "copies", 2}};
  double off = 0;
  double off_as_one = 0;
  const MeasuredTraffic& one_process = measured.front();
  for (const MeasuredTraffic& one : measured) {
    const CgTraffic& of_count =
        computed[static_cast<std::size_t>(std::ranges::find(processes, one.processes) - processes.begin())];
    const double matrix_gb = of_count.matrix_bytes / bytes_a_gb;
    const double copies_gb = of_count.copies_bytes / bytes_a_gb;
    const double off_percent = 100 * ((matrix_gb + copies_gb) / one.mpi_gb - 1);
    const auto a_byte_sent = [&](double gb) {
      return one.sent_gb > 0 ? output::Cell(gb / one.sent_gb) : output::Cell();
    };
    if (one.processes > 1) {
      off += std::abs(off_percent);
      off_as_one += std::abs(100 * (one_process.mpi_gb / one.mpi_gb - 1));
    }
    table.rows.push_back({std::int64_t{one.processes}, std::int64_t{one.sockets}, one.mpi_gb, one.upc_gb,
                          one.openmp_gb, matrix_gb, copies_gb, matrix_gb + copies_gb, off_percent,
                          of_count.vectors_bytes / bytes_a_gb, a_byte_sent(one.mpi_gb - one_process.mpi_gb),
                          a_byte_sent(one.upc_gb - one_process.upc_gb), a_byte_sent(copies_gb)});
  }
  const auto more = static_cast<double>(measured.size() - 1);
  table.notes = {
      fmt::format(
          "All figures are 10^9 B of the whole run. Score of the {} rows with several processes: mean |off "
          "MPI %| {:.1f}; assuming the bytes of one process is {:.1f} % off. Nothing is fitted.",
          measured.size() - 1, off / more, off_as_one / more),
      "matrix: 12 B of each nonzero in each of 26 x 75 products, the term r_nz (8 + 4) n of eq. (6). The "
      "nonzeros are counted with the benchmark's generator.",
      fmt::format("copies: messages of the pattern npb-cg within a node, 2 + {:.1f} / {:.0f} B for each "
                  "byte, with copy_allocate as fitted to SpMV on Abel, not to this table.",
                  costs.copy_allocate_bytes, costs.cache_line_bytes),
      "vectors: the other bytes that the pattern counts. They are not in the sum: a vector has 1.2 MB, and a "
      "socket's last-level cache 20 MB.",
      "More a byte sent: the increase over one process, divided by the bytes of cg.f's messages. Of these, "
      "finegrain leaves out what a process sends to itself: all of the transposition on 2 processes, half of "
      "it on 4."};
  return table;
}

}  // namespace finegrain::validation
