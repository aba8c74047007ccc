// SPDX-License-Identifier: MIT
#include "sim/cli/subprocess.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "sim/cli/interruption.hpp"
#include "tests/traces/recording.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::cli;
using Catch::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A folder for a launcher that sh plays. Its processes write their number into files.
struct Folder : test::TraceFolder {
  /// The process that wrote this file, as soon as it has.
  pid_t process(const std::string& name) const {
    pid_t number = 0;
    while (!(std::ifstream(path() / name) >> number))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return number;
  }
};

bool lives(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/stat", process));
  std::string stat;
  // An iterator over the buffer would throw where the process ends between opening and reading.
  std::getline(in, stat);
  return !stat.empty() && stat.find(") Z ") == std::string::npos;
}

void wait_until_dead(pid_t process) {
  while (lives(process))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// A "rank" that does not end by itself, and that no SIGTERM ends.
std::string rank(const Folder& folder, const std::string& variable = "OMPI_COMM_WORLD_RANK=0") {
  return fmt::format("env {} sh -c 'trap : TERM; echo $$ >{}/{}; while :; do sleep 100; done' & ", variable,
                     folder.path().string(), variable.substr(variable.find('=') + 1));
}

CommandLine shell(const std::string& script) {
  return {"sh", "-c", script};
}

/// Runs the launcher in a process of its own. @returns that
template <class Run>
pid_t in_child(Run run) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  end_on_signals();
  try {
    run();
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

int exit_code_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("a program's output and exit code are those that it had") {
  CHECK(run_command(shell("exit 3")) == 3);
  const Output output = read_output(shell("echo printed; exit 4"));
  CHECK(output.text == "printed\n");
  CHECK(output.exit_code == 4);
  CHECK_THROWS_WITH(run_command({"there is no such program"}), Contains("cannot be started (No such file"));
}

TEST_CASE("a launcher that ends with exit code 255 and says nothing has lost a rank") {
  CHECK_THROWS_WITH(run_command(shell("exit 255")), Contains("exit code 255 (it lost a rank)"));
}

TEST_CASE("an exit code of more than 128 is a signal only as far as the launcher says so") {
  CHECK_THROWS_WITH(run_command(shell("exit 139")),
                    StartsWith("sh: ended with exit code 139 (128 + 11: probably a rank ended by signal 11, "
                               "Segmentation fault)"));
  const std::string rule = std::string(74, '-');
  CHECK_THROWS_WITH(
      run_command(shell(fmt::format("printf '%s\\nmpirun noticed that process rank 2 with PID 0 on node vm "
                                    "exited on signal 9 (Killed).\\n%s\\n' {0} {0} >&2; exit 137",
                                    rule))),
      StartsWith("sh: rank 2 ended by signal 9 (Killed)"));
}

TEST_CASE("a user's launcher ends with the exit code that it had, whatever that is") {
  for (const int code : {1, 132, 139, 255})
    CHECK(run_program(shell(fmt::format("exit {}", code)), [] {}).exit_code == code);
}

TEST_CASE(
    "a user's launcher that a signal ended has the exit code that a shell gives it, and the signal is said") {
  const ProgramEnd end = run_program(shell("kill -KILL $$"), [] {});
  CHECK(end.exit_code == 128 + SIGKILL);
  CHECK(end.problem == "ended by signal 9 (Killed)");
}

TEST_CASE(
    "an exit code of more than 128 is no signal where mpirun says that it could not start the program") {
  const std::string rule = std::string(74, '-');
  const ProgramEnd end = run_program(
      shell(fmt::format(
          "printf '%s\\nmpirun was unable to launch the specified application as it could not access\\nor "
          "execute an executable:\\n\\nExecutable: ./none\\nNode: vm\\n%s\\n' {0} {0} >&2; exit 132",
          rule)),
      [] {});
  CHECK(end.exit_code == 132);
  CHECK(end.problem.empty());
  CHECK(end.said.not_started ==
        "mpirun was unable to launch the specified application as it could not access or execute an "
        "executable: ./none");
}

TEST_CASE("SIGTTOU is not ignored in a user's program") {
  constexpr unsigned long bit = 1UL << (SIGTTOU - 1);
  const std::string ignored = "0x$(sed -n 's/^SigIgn:[^0-9a-f]*//p' /proc/self/status)";
  CHECK(run_program(shell(fmt::format("exit $(({} & {} ? 1 : 0))", ignored, bit)), [] {}).exit_code == 0);
}

TEST_CASE("a user's program goes on when nobody reads what it prints") {
  const Folder folder;
  const pid_t writer = in_child([&] {
    int ends[2];
    if (::pipe(ends) != 0) return;
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    const ProgramEnd end = run_program(shell("seq 100000; exit 5"), [] {});
    std::ofstream(folder.path() / "code") << end.exit_code;
  });
  CHECK(exit_code_of(writer) == 0);
  CHECK(test::read_file(folder.path() / "code") == "5");
}

TEST_CASE("what fails is the program, not the env that sets its environment") {
  CHECK_THROWS_WITH(run_command({"env", "A=b", "C=d", "sh", "-c", "kill -KILL $$"}),
                    StartsWith("sh: ended by signal 9"));
}

TEST_CASE("a launcher that dies takes its ranks with it, also those that ignore it") {
  const Folder folder;
  CHECK_THROWS_WITH(
      run_command(shell(rank(folder) + fmt::format("while [ ! -s {}/0 ]; do sleep 0.01; done; kill -KILL $$",
                                                   folder.path().string()))),
      Contains("ended by signal 9"));
  CHECK(!lives(folder.process("0")));
}

TEST_CASE("whoever waits for a launcher may be killed: launcher and ranks end") {
  const Folder folder;
  const std::string script =
      fmt::format("echo $$ >{}/launcher; {} wait", folder.path().string(), rank(folder));
  const pid_t waiting = in_child([&] { run_command(shell(script)); });
  const pid_t launcher = folder.process("launcher");
  const pid_t rank_0 = folder.process("0");
  ::kill(waiting, SIGKILL);
  CHECK(exit_code_of(waiting) == -SIGKILL);
  wait_until_dead(launcher);
  wait_until_dead(rank_0);
}

TEST_CASE("a signal ends launcher and ranks before it ends whoever waits for them, with exit code 128 + n") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const Folder folder;
  const std::string script = rank(folder) + "wait";
  const pid_t waiting = in_child([&] { run_command(shell(script)); });
  const pid_t rank_0 = folder.process("0");
  ::kill(waiting, signal);
  CHECK(exit_code_of(waiting) == 128 + signal);
  CHECK(!lives(rank_0));
}

TEST_CASE("a launcher that goes on although a rank died is ended, and the rank is named") {
  const Folder folder;
  const std::string script =
      rank(folder, "OMPI_COMM_WORLD_RANK=5") + rank(folder, "OMPI_COMM_WORLD_RANK=6") + "sleep 1000";
  const pid_t waiting = in_child([&] {
    try {
      run_command(shell(script));
    } catch (const InputError& error) {
      std::ofstream(folder.path() / "said") << error.what();
    }
  });
  const pid_t rank_5 = folder.process("5");
  // The guard looks at the ranks four times a second, and knows one by what it saw while that lived.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  ::kill(folder.process("6"), SIGKILL);
  CHECK(exit_code_of(waiting) == 0);
  CHECK(!lives(rank_5));
  CHECK_THAT(test::read_file(folder.path() / "said"),
             Contains("rank 6 died, and the others did not end by themselves"));
}

TEST_CASE("a user's program goes on when one of its ranks has ended, and a kernel does not") {
  // The guard waits for six seconds.
  const std::string script = "env OMPI_COMM_WORLD_RANK=1 sleep 1 & wait; sleep 9; exit 3";
  CHECK(run_program(shell(script), [] {}).exit_code == 3);
  CHECK_THROWS_WITH(run_command(shell(script)), Contains("rank 1 died"));
}
