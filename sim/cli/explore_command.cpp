// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "sim/cli/answer.hpp"
#include "sim/cli/command_tree.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/energy_columns.hpp"
#include "sim/cli/interruption.hpp"
#include "sim/cli/job_texts.hpp"
#include "sim/cli/lesson.hpp"
#include "sim/cli/noise_table.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/run_words.hpp"
#include "sim/cli/version.hpp"
#include "sim/cli/workload.hpp"
#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/decisions.hpp"
#include "sim/explore/server.hpp"
#include "sim/explore/under_way.hpp"
#include "sim/platform/cost_properties.hpp"
#include "sim/policy/policy.hpp"
#include "sim/replay/platform_summary.hpp"
#include "sim/report/page.hpp"
#include "traces/io/input_error.hpp"
#include "traces/program_summary.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {
namespace {

struct ExploreFlags {
  std::vector<std::string> traces;
  std::vector<std::string> jobs_on_nodes;
  WorkloadOptions workload;
  PlatformOptions platforms;
  ProgramOptions program;
  replay::EnergyOptions energy;
  NoiseOptions noise;
  int processes = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::string lesson;
  std::string listen;
  int port = 0;
  bool stays = false;
  bool opens_browser = true;
};

/// Flags of explore itself, which are no part of a question.
const std::set<std::string> own_flags{"--help", "--help-all",   "--lesson", "--listen",
                                      "--port", "--no-browser", "--stay",   "--jobs"};

/// A platform as its user names it: "abel" for finegrain's own file.
std::string name_of_platform(const std::string& file) {
  const std::filesystem::path path(file);
  const bool is_own = path.parent_path() == platforms_folder() && path.extension() == ".xml";
  return is_own ? path.stem().string() : file;
}

std::vector<std::string> problem_flags(bool are_files) {
  std::vector<std::string> flags;
  for (const pattern::PatternKind* kind : pattern::pattern_kinds())
    if (kind->is_file() == are_files) flags.push_back("--" + kind->flag());
  return flags;
}

/// What was named on the command line: every question is about it.
bool is_fixed(const std::string& flag) {
  const std::set<std::string> fixed{"--trace",    "--job",     "--recorded-on", "--compute-scale-from",
                                    "--hostfile", "--rankfile"};
  const std::vector<std::string> files = problem_flags(true);
  return fixed.contains(flag) || std::ranges::find(files, flag) != files.end();
}

/// The flags of the command that are given, as they were given, in the order of its help.
nlohmann::json given_flags(const CLI::App& command, const PlatformOptions& platforms) {
  nlohmann::json flags = nlohmann::json::object();
  for (const CLI::Option* option : options_of(command)) {
    const std::string flag = option->get_name();
    if (option->count() == 0 || own_flags.contains(flag)) continue;
    if (flag == "--platform") {
      for (const std::string& file : platforms.files)
        flags[flag].push_back(name_of_platform(file));
    } else if (option->get_items_expected_max() == 0) {
      flags[flag] = true;
    } else if (flag == "--ranks") {
      flags[flag] = fmt::format("{}", fmt::join(option->results(), ","));
    } else if (option->results().size() == 1) {
      flags[flag] = option->results().front();
    } else {
      flags[flag] = option->results();
    }
  }
  return flags;
}

nlohmann::json parameters_in_json(const std::vector<pattern::Parameter>& parameters) {
  nlohmann::json list = nlohmann::json::array();
  for (const pattern::Parameter& parameter : parameters)
    list.push_back({{"flag", "--" + parameter.name}, {"choices", parameter.words}});
  return list;
}

/// The recordings that are asked about, also as jobs.
std::vector<std::string> recordings_of(const ExploreFlags& options) {
  std::vector<std::string> traces = options.traces;
  for (const std::string& text : options.jobs_on_nodes)
    if (const JobText job = parse_job(text, {}); job.is_trace()) traces.push_back(job.what);
  return traces;
}

/// The algorithms of each collective operation that recorded programs call: {"allreduce": ["ring", ...]}.
nlohmann::json collectives_of(const std::vector<std::string>& traces) {
  nlohmann::json collectives = nlohmann::json::object();
  for (const std::string& name : traces) {
    const Trace trace(name);
    if (trace.knows_iterations()) continue;
    for (const FunctionSummary& function : summarize_program(trace).functions) {
      std::string called(function.name.text());
      std::ranges::transform(called, called.begin(), [](unsigned char c) { return std::tolower(c); });
      for (int number = 0; number < static_cast<int>(collective_kinds); ++number)
        for (const bool blocking : {true, false}) {
          const auto kind = static_cast<CollectiveKind>(number);
          if (const std::string mpi = collectives::collective_name(kind, blocking); called == "mpi_" + mpi)
            collectives[mpi] = collectives::algorithm_names(kind);
        }
    }
  }
  return collectives;
}

/// What the numbers with a slider are on a platform, in bytes/s and seconds: those of links on the way
/// between the first two nodes. What its file does not say is left out.
nlohmann::json numbers_of(const std::string& platform) {
  std::string file = platform;
  platform_by_name()(file);
  nlohmann::json numbers = nlohmann::json::object();
  const auto add = [&](std::string_view name, std::optional<double> value) {
    if (value) numbers[std::string(name)] = *value;
  };
  try {
    for (const platform::CostProperty& property : platform::read_cost_properties(file, {}))
      add(property.name, property.value());
    const replay::PlatformSummary summary = replay::summarize_platform(file);
    if (const replay::RouteSummary* const route = summary.first_route()) {
      add("link_bandwidth", route->there->bandwidth_bytes_per_s);
      add("link_latency", route->there->latency_s);
    }
  } catch (const InputError&) {
    // A question about the platform says what is wrong with it.
  }
  return numbers;
}

/// What the page's controls offer.
nlohmann::json controls_of(const CLI::App& command, const std::vector<std::string>& recordings,
                           const std::vector<std::string>& platforms) {
  nlohmann::json controls{{"usual_policy", command.get_option("--policy")->get_default_str()}};
  for (const char* flag : {"--policy", "--transfer", "--completion", "--placement", "--work"})
    controls["choices"][flag] = choices_of(*command.get_option(flag));
  for (const CLI::Option* option : options_of(command))
    if (!own_flags.contains(option->get_name()))
      controls["help"][option->get_name()] = option->get_description();
  controls["has_recording"] = !recordings.empty();
  controls["collectives"] = collectives_of(recordings);
  for (const std::string& platform : platforms)
    controls["numbers"][platform] = numbers_of(platform);
  for (const pattern::PatternKind* kind : pattern::pattern_kinds())
    controls["parameters_of_problems"]["--" + kind->flag()] = parameters_in_json(kind->parameters());
  for (const policy::Policy* policy : policy::policies())
    controls["parameters_of_policies"][policy->name()] = parameters_in_json(policy->parameters());
  return controls;
}

/// What a page may ask of this command.
explore::Askable askable_of(const CLI::App& command, const nlohmann::json& given,
                            const nlohmann::json& lesson) {
  explore::Askable askable{
      .fixed = {}, .problems = problem_flags(false), .flags = {}, .switches = {}, .platforms = {}};
  for (const CLI::Option* option : options_of(command)) {
    const std::string flag = option->get_name();
    if (own_flags.contains(flag)) continue;
    if (is_fixed(flag)) {
      if (!given.contains(flag)) continue;
      const nlohmann::json& values = given[flag];
      for (const nlohmann::json& value : values.is_array() ? values : nlohmann::json::array({values}))
        askable.fixed.push_back(fmt::format("{}={}", flag, value.get<std::string>()));
    } else if (std::ranges::find(askable.problems, flag) == askable.problems.end()) {
      (option->get_items_expected_max() == 0 ? askable.switches : askable.flags).push_back(flag);
    }
  }
  askable.platforms = given.at("--platform").get<std::vector<std::string>>();
  for (const std::string& platform : platforms_of_lesson(lesson))
    askable.platforms.push_back(platform);
  return askable;
}

/// A process that serves the page, and the ends of its connections with this one.
struct Server {
  pid_t process = -1;
  int questions = -1;
  std::string address;  ///< the page's
};

/// @throws InputError if nothing can be served
Server start_server(const explore::ServerOptions& options) {
  std::array<int, 2> questions{};
  std::array<int, 2> said{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, questions.data()) != 0 ||
      ::pipe2(said.data(), O_CLOEXEC) != 0)
    throw InputError("explore", "no connection between two processes could be made", "Close other programs");
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGINT, SIG_IGN);  // the other process ends with it, and this one then
    ::close(questions[0]);
    ::close(said[0]);
    const auto say = [&](const std::string& text) {
      const ssize_t written = ::write(said[1], text.data(), text.size());
      ::close(said[1]);
      if (written < 0) ::_exit(1);
    };
    try {
      serve(options, questions[1], [&](const std::string& address) { say(address); });
    } catch (const std::exception& error) {
      say(fmt::format("!{}", with_own_files(error.what())));
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(questions[1]);
  ::close(said[1]);
  Server server{process, questions[0], {}};
  std::array<char, 1024> text{};
  const ssize_t size = process < 0 ? -1 : ::read(said[0], text.data(), text.size());
  ::close(said[0]);
  if (size > 0) server.address.assign(text.data(), static_cast<std::size_t>(size));
  if (size <= 0 || server.address.front() == '!')
    throw InputError("explore", size > 1 ? server.address.substr(1) : "no server could be started",
                     "See finegrain explore --help");
  return server;
}

/// Shows it in the user's browser, if there is a desktop.
void open_in_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open";
  std::string url = address;
  std::array<char*, 3> arguments{program.data(), url.data(), nullptr};
  pid_t process = 0;
  ::posix_spawnp(&process, program.c_str(), nullptr, nullptr, arguments.data(),
                 environ);  // else a person does
}

/// Whether the command line's own question can be answered. It is said on standard error why not.
bool is_answered(const std::vector<std::string>& words) {
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    end_silently();  // this process's parent says that it was interrupted
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::_exit(run_words(words));
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Counts what the question's runs access, once for all that its process forks for.
void prepare(const std::vector<std::string>& words) {
  try {
    CLI::App app;
    WorkloadOptions workload;
    PlatformOptions platforms;
    add_workload_options(app, workload);
    app.add_option("--iterations", workload.iterations);
    add_platform_options(app, platforms);
    app.allow_extras();
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    const std::vector<platform::Platform> read = read_platforms(platforms);
    Workload(workload, read).counts();
  } catch (const std::exception&) {
    // The question's own process says what is wrong with it.
  }
}

/// Tests do not wait for a minute until the server ends without a page: FINEGRAIN_EXPLORE_IDLE_S, in seconds.
/// @throws InputError if it is not a positive number
std::optional<double> idle_s_of_tests() {
  constexpr const char* name = "FINEGRAIN_EXPLORE_IDLE_S";
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end != '\0' || !std::isfinite(seconds) || seconds <= 0)
    throw InputError(name, fmt::format("'{}' is not a positive number", text), "Give seconds, e.g. 2");
  return seconds;
}

void run(const CLI::App& command, const ExploreFlags& options) {
  const nlohmann::json given = given_flags(command, options.platforms);
  const nlohmann::json lesson = options.lesson.empty() ? usual_lesson() : read_lesson(options.lesson);
  const explore::Askable askable = askable_of(command, given, lesson);
  nlohmann::json flags = nlohmann::json::object();
  for (const auto& [flag, value] : given.items())
    if (!is_fixed(flag)) flags[flag] = value;

  const bool asks_something = askable.fixed.size() + options.workload.ranks.size() > 0 || flags.size() > 1;
  open_patterns(options.workload);  // once, and not by the process of each question
  if (asks_something && !is_answered(words_of(nlohmann::json{{"flags", flags}}.dump(), askable)))
    std::exit(1);

  explore::ServerOptions server_options{
      .page =
          report::page_of({{"explore",
                            {{"fixed", askable.fixed},
                             {"flags", flags},
                             {"asks_something", asks_something},
                             {"is_alone", options.listen.empty()},
                             {"platforms", given["--platform"]},
                             {"controls", controls_of(command, recordings_of(options), askable.platforms)},
                             {"lesson", lesson}}},
                           {"version", version()}}),
      .askable = askable,
      .processes = options.processes,
      .stays = options.stays};
  if (!options.listen.empty()) server_options.host = options.listen;
  if (const auto idle_s = idle_s_of_tests()) server_options.idle_s = *idle_s;
  server_options.port = options.port;
  const Server server = start_server(server_options);
  fmt::print("Open {} in a browser. Ctrl-C ends it{}\n", server.address,
             options.stays ? "" : ", and so does a minute in which no page is open");
  std::fflush(stdout);
  if (options.opens_browser && options.listen.empty()) open_in_browser(server.address);
  ::setenv("FINEGRAIN_PROGRESS", "1", 1);  // The page shows the progress of questions' processes.
  explore::carry_out_questions(server.questions, run_words, prepare, {});
}

}  // namespace

void add_explore_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "explore",
      "A page on this computer whose simulation is alive: change the platform, its numbers, the ranks, the "
      "policy or the\n"
      "placement, and see the new times at once; pin two questions side by side; exercises for a class. It "
      "takes the flags of\n"
      "compare, and prints the page's address.");
  const auto options = std::make_shared<ExploreFlags>();
  CLI::Option* trace =
      command->add_option("--trace", options->traces, "Recorded run (repeatable)")->allow_extra_args(false);
  add_workload_options(*command, options->workload);
  command->add_option("--iterations", options->workload.iterations, "Iterations, if there is no trace")
      ->check(at_least_one());
  add_platform_options(*command, options->platforms);
  add_program_options(*command, options->program);
  add_energy_options(*command, options->energy);
  add_job_option(*command, options->jobs_on_nodes)->excludes(trace);
  add_noise_options(*command, options->noise);
  add_processes_option(*command, options->processes);
  command->get_option("--jobs")->description(
      "Questions that are answered at the same time. Default: one a core");
  command
      ->add_option("--lesson", options->lesson,
                   "The exercises of a TOML file (docs/explore.md), instead of finegrain's own")
      ->check(CLI::ExistingFile);
  command->add_option("--listen", options->listen,
                      "Serve a class: an address of this computer in the room's network, e.g. 192.168.0.5. "
                      "Otherwise only this computer can open the page");
  command
      ->add_option(
          "--port", options->port,
          fmt::format("Default: {} if it is free, so that a browser keeps the guesses; otherwise any",
                      explore::usual_port))
      ->check(CLI::Range(1, 65535));
  command->add_flag("--stay", options->stays, "Go on also when no page has been open for a minute");
  command->add_flag("!--no-browser", options->opens_browser, "Print the address, and open no browser");
  command->footer(
      "Example: finegrain explore --matrix heart.fgm --ranks 64,256 --platform abel,hdr_infiniband\n"
      "         finegrain explore --heat 4000x4000 --ranks 16 --platform abel\n"
      "         finegrain explore --trace trace --platform hdr_infiniband\n"
      "         finegrain explore --platform abel,ethernet_10g --heat 2000x2000 --ranks 16 --listen "
      "192.168.0.5 --stay");
  command->callback([command, options] { run(*command, *options); });
}

}  // namespace finegrain::cli
