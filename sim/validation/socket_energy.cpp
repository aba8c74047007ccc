// SPDX-License-Identifier: MIT
#include "sim/validation/socket_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "sim/model/published.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::validation {
namespace {

constexpr int sockets = 2;
constexpr std::array busy_cores{1, 2, 4, 8};
using Powers = std::array<double, busy_cores.size()>;  ///< by busy_cores, in units of an idle socket's power

double power(const Powers& powers, int cores) {
  return powers[static_cast<std::size_t>(std::ranges::find(busy_cores, cores) - busy_cores.begin())];
}

/// Both sockets' energy over one's.
double ratio(const SocketEnergy& cell, const Powers& powers) {
  const double idle_socket = cell.counted == replay::CountedSockets::all ? 1 : 0;
  return 2 * power(powers, cell.threads / 2) / (power(powers, cell.threads) + idle_socket) / (1 + cell.gain);
}

/// Whether two energies are of the same case, maybe in different programming models.
bool same_case(const SocketEnergy& a, const SocketEnergy& b) {
  return a.threads == b.threads && a.counted == b.counted;
}

/// A schedule with one region of work only. The replay gets its seconds.
Schedule compute_only(int ranks) {
  Schedule schedule;
  schedule.run.ranks = ranks;
  schedule.run.ranks_per_node = ranks;
  schedule.run.iterations = 1;
  for (int rank = 0; rank < ranks; ++rank)
    schedule.ranks.emplace_back().add_region(regions::compute, Work{1});
  return schedule;
}

/// Joules of the threads of some cells on so many sockets, in the order of the cells.
std::vector<double> energies_on(int used_sockets, const std::vector<SocketEnergy*>& cells,
                                const platform::Platform& platform, int processes) {
  const int threads = cells.front()->threads;
  const Schedule schedule = compute_only(threads);
  std::vector<replay::PhaseDurations> durations;
  for (const SocketEnergy* cell : cells)
    durations.emplace_back(static_cast<std::size_t>(threads),
                           std::vector<double>{used_sockets == 1 ? 1 + cell->gain : 1.});
  std::vector<replay::ReplayJob> jobs;
  for (const replay::PhaseDurations& of_cell : durations)
    jobs.push_back({.schedule = &schedule, .platform = &platform, .durations = &of_cell});
  replay::ReplayOptions options;
  options.energy.counted = cells.front()->counted;
  options.energy.ranks_per_socket = threads / used_sockets;
  std::vector<double> joules;
  for (const replay::ReplayResult& result : replay_all(jobs, processes, options))
    joules.push_back(result.energy->total_j);
  return joules;
}

double percent(double ratio) {
  return 100 * (ratio - 1);
}

}  // namespace

std::vector<SocketEnergy> published_socket_energies() {
  const model::NumberTable table = model::published_table("energy_cg_one_vs_two_sockets");
  std::vector<SocketEnergy> energies;
  constexpr std::array<std::pair<const char*, const char*>, 3> models{
      {{"mpi", "MPI"}, {"openmp", "OpenMP"}, {"upc", "UPC"}}};
  for (const auto& [name, printed] : models) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      SocketEnergy& cell = energies.emplace_back();
      cell.model = printed;
      cell.threads = static_cast<int>(table.at(row, "threads"));
      cell.counted = table.at(row, "idle_socket_counted") == 0 ? replay::CountedSockets::used
                                                               : replay::CountedSockets::all;
      cell.gain = table.at(row, fmt::format("{}_performance", name)) / 100;
      cell.measured = 1 + table.at(row, fmt::format("{}_energy", name)) / 100;
      cell.is_fitted = cell.model == "MPI";
    }
  }
  return energies;
}

std::vector<platform::SocketPower> fitted_powers(const std::vector<SocketEnergy>& energies) {
  Powers powers{2, 3, 4, 5};
  const auto mean_square = [&] {
    double sum = 0;
    for (const SocketEnergy& cell : energies)
      if (cell.is_fitted) sum += std::pow(std::log(ratio(cell, powers) / cell.measured), 2);
    return sum;
  };
  // One power after the other is fitted (Brent's method), until none changes.
  constexpr double most = 20;
  constexpr double settled = 1e-7;
  constexpr int most_rounds = 10'000;
  double change = most;
  for (int round = 0; round < most_rounds && change > settled; ++round) {
    change = 0;
    for (double& one : powers) {
      const double before = one;
      std::uintmax_t steps = 100;
      one = boost::math::tools::brent_find_minima(
                [&](double tried) {
                  one = tried;
                  return mean_square();
                },
                1., most, std::numeric_limits<double>::digits / 2, steps)
                .first;
      change = std::max(change, std::abs(one - before));
    }
  }
  std::vector<platform::SocketPower> table{{0, 1}};
  for (std::size_t i = 0; i < powers.size(); ++i)
    table.push_back({busy_cores[i], powers[i]});
  return table;
}

void simulate(std::vector<SocketEnergy>& energies, platform::Platform platform, int processes) {
  platform.sockets = sockets;
  platform.powers = platform::Powers{.socket = fitted_powers(energies)};
  std::vector<bool> is_done(energies.size());
  for (std::size_t first = 0; first < energies.size(); ++first) {
    if (is_done[first]) continue;
    std::vector<SocketEnergy*> cells;
    for (std::size_t i = first; i < energies.size(); ++i) {
      if (!same_case(energies[i], energies[first])) continue;
      cells.push_back(&energies[i]);
      is_done[i] = true;
    }
    const std::vector<double> one = energies_on(1, cells, platform, processes);
    const std::vector<double> both = energies_on(sockets, cells, platform, processes);
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i]->simulated = both[i] / one[i];
  }
}

SocketEnergyScore score_of(const std::vector<SocketEnergy>& energies) {
  SocketEnergyScore score;
  double sum = 0;
  double sum_as_mpi = 0;
  for (const SocketEnergy& cell : energies) {
    if (cell.is_fitted) continue;
    const auto mpi = std::ranges::find_if(
        energies, [&](const SocketEnergy& other) { return other.is_fitted && same_case(other, cell); });
    const double off = std::log(cell.simulated / cell.measured);
    const double off_as_mpi = std::log(mpi->measured / cell.measured);
    ++score.cells;
    sum += off * off;
    sum_as_mpi += off_as_mpi * off_as_mpi;
    score.worst = std::max(score.worst, std::abs(off));
    score.worst_as_mpi = std::max(score.worst_as_mpi, std::abs(off_as_mpi));
  }
  score.rms = std::sqrt(sum / static_cast<double>(score.cells));
  score.rms_as_mpi = std::sqrt(sum_as_mpi / static_cast<double>(score.cells));
  return score;
}

output::Table socket_energies_as_table(const std::vector<SocketEnergy>& energies) {
  output::Table table;
  table.name = "energies";
  table.title =
      "Table II: energy of NPB CG, class C, on both sockets of a node instead of one (thesis, Paper I)";
  table.columns = {{"model", "model"},
                   {"threads", "threads"},
                   {"idle_socket", "idle socket"},
                   {"faster_percent", "faster %", 2},
                   {"measured_percent", "measured %", 2},
                   {"simulated_percent", "simulated %", 2},
                   {"off_percent", "off %", 2},
                   {"counts_as", "as"}};
  for (const SocketEnergy& cell : energies)
    table.rows.push_back({std::string(cell.model), std::int64_t{cell.threads},
                          std::string(cell.counted == replay::CountedSockets::all ? "counts" : "does not"),
                          100 * cell.gain, percent(cell.measured), percent(cell.simulated),
                          percent(cell.simulated / cell.measured),
                          std::string(cell.is_fitted ? "fit" : "score")});
  const SocketEnergyScore score = score_of(energies);
  std::string powers;
  for (const platform::SocketPower& point : fitted_powers(energies))
    if (point.busy_cores > 0)
      powers += fmt::format("{}{:.3f} with {}", powers.empty() ? "" : ", ", point.watts, point.busy_cores);
  table.notes = {
      fmt::format(
          "Score: {} energies of OpenMP and UPC, root mean square of ln(simulated / measured) {:.1f} %, "
          "worst {:.1f} %. Assuming the same increase as for MPI is {:.1f} % off, worst {:.1f} %.",
          score.cells, 100 * score.rms, 100 * score.worst, 100 * score.rms_as_mpi, 100 * score.worst_as_mpi),
      fmt::format(
          "Fit: the four powers of a socket are fitted to MPI's six energies. By busy cores, in units of an "
          "idle socket's power: {}. The paper prints no watts, so only ratios are known.",
          powers),
      "measured %, simulated %: how much more energy both sockets need than one. faster %: how much faster "
      "they "
      "are, which is an input: the paper prints no times, and the simulated ranks compute for as long as "
      "measured. off %: simulated over measured energy."};
  return table;
}

}  // namespace finegrain::validation
