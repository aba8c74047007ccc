// SPDX-License-Identifier: MIT
#include "kernels/bench/report.hpp"

#include <fmt/format.h>

#include "kernels/machine/cpus.hpp"
#include "kernels/micro/statistics.hpp"
#include "traces/io/units.hpp"
#include "traces/quantile.hpp"

namespace finegrain::kernels {
namespace {

/// "0.94  0.91 to 0.97": median, first and last decile.
std::string spread(const std::vector<double>& values, int decimals) {
  return fmt::format("{:>8.{}f}  {:>7.{}f} to {:>7.{}f}", micro::median_of(values), decimals,
                     quantile(values, 0.1), decimals, quantile(values, 0.9), decimals);
}

std::string milliseconds(const Pass& pass) {
  std::vector<double> values;
  for (const double second : pass.seconds)
    values.push_back(1e3 * second);
  return spread(values, 1);
}

std::vector<double> rates(const Pass& pass, double unit) {
  std::vector<double> rates;
  for (const double second : pass.seconds)
    rates.push_back((pass.traffic.only_read_bytes + pass.traffic.copied_bytes) / second / unit);
  return rates;
}

void print_row(const std::string& name, const std::string& time, const std::string& result) {
  fmt::print("{:<24}{}  {}\n", name, time, result);
}

}  // namespace

void print_table(const BenchmarkRun& run, const Passes& passes) {
  fmt::print("SpMV: {}\n      {}\nheat: {}\n", run.matrix, run.rows, run.heat);
  fmt::print("{} x {}{}; {} rounds: median, first to last decile\n\n", format_count(run.ranks, "rank"),
             format_count(run.threads, "thread"),
             run.layout.oversubscribed ? " (oversubscribed: times mean little)" : "", run.rounds);
  const std::string heading = fmt::format("{:>8}{:20}", "ms", "");
  print_row("memory", heading, fmt::format("{:>8}", "GB/s"));
  for (const Pass* pass : {&passes.read, &passes.copy})
    print_row(pass->name, milliseconds(*pass), spread(rates(*pass, 1e9), 2));
  print_row("\nkernel", " " + heading, "of the bound");
  for (const Pass& kernel : passes.kernels)
    print_row(kernel.name, milliseconds(kernel), spread(fractions_of_bound(passes, kernel), 3));
  print_row("\nproduct by", " " + heading, "time over ours");
  for (const Pass& library : passes.libraries)
    print_row(library.name, milliseconds(library), spread(times_of_product(passes, library), 3));
  fmt::print(
      "\nbound: the bytes a kernel must move, a write counted twice, over the read and\n"
      "  copy rates of the same round\n");
}

void print_json(const BenchmarkRun& run, const Passes& passes) {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const Pass& kernel : passes.kernels)
    kernels.push_back({{"name", kernel.name},
                       {"seconds", micro::spread_json(kernel.seconds)},
                       {"fraction_of_bound", micro::spread_json(fractions_of_bound(passes, kernel))}});
  nlohmann::ordered_json libraries = nlohmann::ordered_json::array();
  for (const Pass& library : passes.libraries)
    libraries.push_back({{"name", library.name},
                         {"seconds", micro::spread_json(library.seconds)},
                         {"time_over_ours", micro::spread_json(times_of_product(passes, library))}});
  const nlohmann::ordered_json result = {{"program", "bench_kernels"},
                                         {"matrix", run.matrix},
                                         {"rows", run.rows},
                                         {"heat", run.heat},
                                         {"cpu", machine::cpu_model()},
                                         {"ranks", run.ranks},
                                         {"threads_per_rank", run.threads},
                                         {"oversubscribed", run.layout.oversubscribed},
                                         {"pinning", run.layout.pinning},
                                         {"rounds", run.rounds},
                                         {"read_bytes_per_s", micro::spread_json(rates(passes.read, 1))},
                                         {"copy_bytes_per_s", micro::spread_json(rates(passes.copy, 1))},
                                         {"kernels", kernels},
                                         {"libraries", libraries}};
  micro::print(result);
}

}  // namespace finegrain::kernels
