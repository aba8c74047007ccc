// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "sim/answer/interval.hpp"
#include "sim/cli/answer.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/evaluated.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/resumed.hpp"
#include "sim/cli/simulated_sensitivities.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "sim/replay/noise.hpp"
#include "sim/sensitivity/sensitivity.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {
namespace {

struct SensitivityFlags {
  WorkloadOptions workload;
  PlatformOptions platforms;
  ProgramOptions program;
  std::string trace;
  sensitivity::Question question;
  std::vector<std::string> until;
  std::string noise;  ///< empty: none
  std::uint64_t seed = 1;
  replay::ReplayOptions replay;
  std::string format = "table";
};

constexpr double longest_bar = 10;

/// "1 %", or "2x" from half as good again on; of worse ones "x0.5".
std::string better(double factor) {
  if (factor < 1) return fmt::format("x{:.3g}", factor);
  return factor < 1.5 ? fmt::format("{:.3g} %", 100 * (factor - 1)) : fmt::format("{:.3g}x", factor);
}

output::Table table_of(const sensitivity::Sensitivities& found, const SensitivityFlags& options,
                       const Run& run, const platform::Platform& platform) {
  const bool is_read = output::parse_format(options.format) == output::Format::table;
  const auto gain_percent = [&](double total_s) {
    const double gain = 100 * (1 - total_s / found.total_s);
    constexpr double least_shown = 0.005;
    return is_read && std::abs(gain) < least_shown ? 0.0 : gain;  // no "-0.00"
  };
  output::Table table;
  const bool any_worse = options.question.factors.front() < 1;
  table.title = fmt::format("{}, {}: {}. Percent of it gained where one number is better by{}", describe(run),
                            format_count(run.ranks, "rank"), format_time(found.total_s),
                            any_worse ? ", or lost (negative) where it is as good as" : "");
  table.columns = {{"what", "what"}, {"now", "now"}};
  for (const double factor : options.question.factors)
    table.columns.push_back(
        {fmt::format("gain_percent_{:g}", factor), better(factor), 2, output::Origin::simulated});
  table.columns.push_back({"elasticity", "elasticity", 3, output::Origin::simulated});
  const std::vector<double>& speedups = options.question.speedups;
  const auto key = [&](std::size_t s) {
    return speedups.size() == 1 ? "" : fmt::format("_{}", options.until[s]);
  };
  for (std::size_t s = 0; s < speedups.size(); ++s)
    if (speedups[s] > 1)
      table.columns.push_back(
          {"needed_factor" + key(s), fmt::format("for {}", options.until[s]), 2, output::Origin::simulated});
    else
      table.columns.push_back({"tolerated_factor" + key(s), fmt::format("worse until {}", options.until[s]),
                               3, output::Origin::simulated});
  if (is_read) table.columns.push_back({"chart", ""});
  double most = 0;
  for (const sensitivity::Sensitivity& number : found.numbers)
    most = std::max(most, gain_percent(number.totals_s.back()));
  for (const sensitivity::Sensitivity& number : found.numbers) {
    auto& row =
        table.rows.emplace_back(std::vector<output::Cell>{describe(number.number), number.number.now});
    for (const double total_s : number.totals_s)
      row.emplace_back(gain_percent(total_s));
    row.emplace_back(is_read && std::abs(number.elasticity) < 5e-4 ? 0.0 : number.elasticity);
    for (std::size_t s = 0; s < speedups.size(); ++s)
      row.push_back(!number.needed[s] ? output::Cell()
                    : speedups[s] > 1 ? output::Cell(*number.needed[s])
                                      : output::Cell(1 / *number.needed[s]));
    const double gain = std::max(0.0, gain_percent(number.totals_s.back()));
    if (is_read)
      row.emplace_back(
          most > 0 ? std::string(static_cast<std::size_t>(std::lround(longest_bar * gain / most)), '#')
                   : std::string());
  }
  table.notes = {
      "Better: a bandwidth multiplied by the factor; a time, or an amount of work, divided by it.",
      fmt::format("elasticity: -d log(time) / d log(factor), simulated with {}: 1 if all of the time is in "
                  "proportion to it",
                  better(sensitivity::factor_of_elasticity(options.question.factors)))};
  if (any_worse)
    table.notes.emplace_back("x0.5: half as good: half the bandwidth, or twice the time or the work");
  if (std::ranges::any_of(speedups, [](double speedup) { return speedup > 1; }))
    table.notes.emplace_back(
        "for: how much better it alone has to be for that speed-up; none: no factor reaches it");
  if (std::ranges::any_of(speedups, [](double speedup) { return speedup < 1; }))
    table.notes.emplace_back(
        "worse until: how many times worse it alone may be until the run is that much slower (5%: takes 5 % "
        "longer); none: it never is");
  table.notes.push_back(fmt::format("Work of single ranks: of the {} that work most (--most-ranks)",
                                    options.question.most_ranks));
  table.notes.push_back(
      fmt::format("Simulated: {}; {}", platform.file.filename().string(), network_model(options.replay)));
  return table;
}

/// "1.5x" or "1.5"; "0.95x" of a run that is slower; "5%" of one that takes 5 % longer.
double parse_speedup(const std::string& text) {
  std::size_t end = 0;
  double speedup = 0;
  try {
    speedup = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  const bool is_percent = end > 0 && end + 1 == text.size() && text.back() == '%';
  if (is_percent) speedup = 1 / (1 + speedup / 100);
  const bool is_whole = is_percent || end == text.size() || (end + 1 == text.size() && text.back() == 'x');
  if (end == 0 || !is_whole || !(speedup >= 1e-6) || speedup == 1 || speedup > 1e6)
    throw InputError("--until", fmt::format("'{}' is no speed-up, and no slow-down", text),
                     "Write it like 1.5x, 0.95x, or 5% for a run that takes 5 % longer");
  return speedup;
}

void check_factors(std::vector<double>& factors) {
  for (const double factor : factors)
    if (!(factor >= 1e-6) || factor == 1 || factor > 1e6)
      throw InputError("--factors",
                       fmt::format("{} makes nothing better or worse (1 leaves it as it is)", factor),
                       "Give factors such as 0.5,1.01,2");
  std::ranges::sort(factors);
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
}

/// Where the true time of the run lies, and how much of a recording's work is left out as a disturbance, or
/// varies.
std::vector<std::string> notes_on_time(const replay::ReplayJob& job, replay::ReplayOptions options) {
  options.compares_work = true;
  const answer::Answer answer = evaluate_with_progress({{.job = job}}, 1, options).front();
  std::vector<std::string> notes;
  if (const std::optional<answer::Interval> interval = interval_of(answer))
    notes.push_back(
        fmt::format("in 90 of 100 cases the true time of the run lies between {} and {} (docs/intervals.md)",
                    format_time(interval->low_s), format_time(interval->high_s)));
  if (std::string variation = describe_variation(*answer.simulated); !variation.empty())
    notes.push_back(std::move(variation));
  return notes;
}

/// What is simulated. Of a recording: as it was recorded, placed by the flags.
void run(SensitivityFlags options) {
  const output::Format format = output::parse_format(options.format);
  check_factors(options.question.factors);
  for (auto text = options.until.begin(); text != options.until.end(); ++text)
    if (std::find(options.until.begin(), text, *text) != text)
      throw InputError("--until", fmt::format("'{}' is there twice", *text), "Give it once");
  std::ranges::transform(options.until, std::back_inserter(options.question.speedups), parse_speedup);
  const std::vector<platform::Platform> platforms = read_platforms(options.platforms);
  if (platforms.size() > 1)
    throw InputError("--platform",
                     fmt::format("there are {} (the numbers are those of one platform)", platforms.size()),
                     "Ask for one after the other");
  std::vector<std::string> notes;
  std::optional<replay::Noise> noise;
  if (!options.noise.empty()) {
    noise = replay::parse_noise(options.noise, "--noise");
    options.replay.repeat_tolerance = 0;  // noise never repeats
    notes.push_back(fmt::format("noise: {}, seed {}: part of all simulations", options.noise, options.seed));
  }
  const auto simulated = [&](replay::ReplayJob job) {
    if (noise) job.noise = &*noise;
    job.cores.seed = options.seed;
    output::Table table = table_of(simulated_sensitivities(job, options.replay, options.question), options,
                                   job.schedule->run, *job.platform);
    std::ranges::move(notes_on_time(job, options.replay), std::back_inserter(table.notes));
    return table;
  };
  std::optional<Schedule> schedule;
  std::optional<problem::Placement> placement;
  if (!options.trace.empty()) {
    const Trace trace = open_trace(options.trace, options.program.names);
    if (!trace.knows_iterations()) {
      with_program_job(trace, options.trace, options.program, options.workload, options.platforms,
                       [&](const replay::ReplayJob& job, const std::vector<std::string>& said) {
                         output::Table table = simulated(job);
                         std::ranges::copy(notes, std::back_inserter(table.notes));
                         std::ranges::copy(said, std::back_inserter(table.notes));
                         print_answer({table}, "", format);
                       });
      return;
    }
    refuse_program_options(options.program);
    schedule = schedule_of(trace);
    if (options.workload.ranks_per_node) schedule->run.ranks_per_node = *options.workload.ranks_per_node;
    placement = placement_on(platforms, placement_rule(options.workload), *schedule);
  } else {
    refuse_program_options(options.program);
    if (std::ranges::all_of(options.workload.problems, [](const auto& one) { return one.second.empty(); }))
      throw InputError("sensitivity", "nothing to run", "Give --trace, or a problem such as --matrix");
    const Workload workload(options.workload, platforms);
    if (workload.runs().size() > 1)
      throw InputError("--ranks", "more than one number of ranks", "Ask for one after the other");
    schedule = workload.schedule(workload.runs().front());
    placement = workload.placement(*schedule);
    std::ranges::copy(workload.notes(), std::back_inserter(notes));
  }
  check_cores({&schedule->run, 1}, platforms, options.platforms, {&*placement, 1});
  output::Table table =
      simulated({.schedule = &*schedule, .platform = &platforms.front(), .placement = &*placement});
  std::ranges::move(notes, std::back_inserter(table.notes));
  std::ranges::move(oversubscription_notes({&schedule->run, 1}, platforms, {&*placement, 1}),
                    std::back_inserter(table.notes));
  print_answer({table}, "", format);
}

}  // namespace

void add_sensitivity_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "sensitivity",
      "What makes a run faster: simulates it with each number of the platform, each class of links, each\n"
      "phase's work and the work of the busiest ranks 1 %, 10 % and twice better, and ranks them by what "
      "the\n"
      "whole run gains.");
  const auto options = std::make_shared<SensitivityFlags>();
  options->question.processes = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  CLI::Option* trace = command->add_option("--trace", options->trace,
                                           "Recorded run, or recorded program (see finegrain record)");
  add_workload_options(*command, options->workload);
  exclude_run_options(*command, *trace, false);
  command->add_option("--iterations", options->workload.iterations, "Iterations, if there is no trace")
      ->check(at_least_one())
      ->capture_default_str();
  add_platform_options(*command, options->platforms);
  command
      ->add_option("--factors", options->question.factors,
                   "How much better each number is; below 1: as good as that, 0.5 is half as good")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option(
          "--until", options->until,
          "Also how much better each number has to be for this speed-up of the run, e.g. 1.5x; or how "
          "much worse it may be until the run is slower: 0.95x, or 1%,2%,5% longer")
      ->delimiter(',');
  command
      ->add_option("--most-ranks", options->question.most_ranks,
                   "Number of ranks whose work is changed: those that work most")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  CLI::Option* noise = command->add_option(
      "--noise", options->noise,
      "With this noise of the operating system, whose detours may be longer or shorter too: "
      "fixed:period=1ms,duration=10us, or another of docs/noise.md");
  command->add_option("--seed", options->seed, "Seed of the noise")->needs(noise)->capture_default_str();
  add_program_options(*command, options->program);
  add_one_flow_per_message(*command, options->replay);
  add_resume(*command, options->replay);
  add_processes_option(*command, options->question.processes);
  add_format_option(*command, options->format);
  command->footer(
      "Example: finegrain sensitivity --matrix heart.fgm --ranks 64 --ranks-per-node 16 \\\n"
      "           --platform platforms/abel.xml --until 1.2x");
  command->callback([options] { run(*options); });
}

}  // namespace finegrain::cli
