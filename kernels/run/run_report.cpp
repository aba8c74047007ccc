// SPDX-License-Identifier: MIT
#include "kernels/run/run_report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "traces/io/printable.hpp"
#include "traces/io/units.hpp"

namespace finegrain::kernels {
namespace {

double gflops(const RunReport& run) {
  return run.flops_per_iteration / run.iteration.median * 1e-9;
}

/// The beginning of a text, as much as fits beside its label; JSON has the whole.
std::string shortened(const std::string& text) {
  constexpr std::size_t most = 54;
  return text.size() <= most ? text : text.substr(0, most - 4) + " ...";
}

nlohmann::ordered_json as_json(const Session& session, const RunOptions& options, const RunReport& run) {
  nlohmann::ordered_json check = nullptr;
  if (run.check) {
    check = {{"passed", run.check->passed},
             {"max_relative_difference", run.check->max_relative_difference},
             {"tolerance", RoundOffCheck::tolerance}};
  }
  nlohmann::ordered_json trace = nullptr;
  if (options.record_folder) trace = options.record_folder->string();
  return {
      {"program", run.kernel},
      {"problem", run.problem},
      {"ranks", session.ranks()},
      {"ranks_per_node", run.layout.ranks_per_node},
      {"threads_per_rank", run.threads},
      {"pinning", run.layout.pinning},
      {"oversubscribed", run.layout.oversubscribed},
      {"iterations", options.iterations},
      {"warmup_iterations", options.warmup_iterations},
      {"seconds_per_iteration",
       {{"median", run.iteration.median}, {"min", run.iteration.shortest}, {"max", run.iteration.longest}}},
      {"gflops", gflops(run)},
      {"check", check},
      {"trace", trace},
      {"trace_complete", options.record_folder.has_value() && run.trace_complete}};
}

void print_table(const Session& session, const RunOptions& options, const RunReport& run) {
  fmt::print("{}: {}\n", run.kernel, printable(run.problem));
  fmt::print("ranks x threads          {} x {}{}\n", session.ranks(), run.threads,
             run.layout.oversubscribed ? "  (oversubscribed: times mean little)" : "");
  fmt::print("CPUs of the ranks        {}\n", shortened(run.layout.pinning));
  fmt::print("iterations               {} after {} of warm-up\n", options.iterations,
             options.warmup_iterations);
  const auto seconds = [](double s) { return format_decimals(s, 6); };
  fmt::print("seconds per iteration    {} median, {} to {} (slowest rank)\n", seconds(run.iteration.median),
             seconds(run.iteration.shortest), seconds(run.iteration.longest));
  fmt::print("GFLOPS                   {:.3f}\n", gflops(run));
  if (run.check) {
    fmt::print("check                    {}: differs by at most {:.1e} from sequential\n",
               run.check->passed ? "passed" : "FAILED", run.check->max_relative_difference);
  } else {
    fmt::print("check                    left out\n");
  }
  if (options.record_folder) {
    fmt::print("trace                    {}{}\n", printable(options.record_folder->string()),
               run.trace_complete ? "" : "  (incomplete: recording stopped)");
  }
}

}  // namespace

int report(const Session& session, const RunOptions& options, const RunReport& run) {
  bool failed = run.check && !run.check->passed;
  if (session.is_first()) {
    if (options.format == "json") {
      fmt::print("{}\n", as_json(session, options, run)
                             .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else {
      print_table(session, options, run);
    }
    if (failed) {
      complain(fmt::format(
          "{}: the check failed (max relative difference {:.1e}, allowed {:.0e}). Are results finite? "
          "Run fewer iterations; if it still fails, this is a bug",
          run.kernel, run.check->max_relative_difference, RoundOffCheck::tolerance));
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      complain("standard output: cannot be written (is the disk full?). Send it elsewhere");
      failed = true;
    }
  }
  // The launcher ends the job when the first rank leaves with an error; the output must be out by then.
  session.barrier();
  return failed ? 1 : 0;
}

}  // namespace finegrain::kernels
