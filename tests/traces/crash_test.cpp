// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>

#include "tests/traces/recording.hpp"
#include "traces/recorder.hpp"

namespace finegrain {
namespace {

std::vector<std::string> synced;

}  // namespace
}  // namespace finegrain

/// Stands before the C library's, and notes which file it was asked for.
extern "C" int fsync(int descriptor) {
  const auto file = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor));
  finegrain::synced.push_back(file.filename().string());
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace finegrain {
namespace {

using namespace test;

/// About 3 MiB on disk.
RankRecording large_recording() {
  std::mt19937_64 random(4);
  RecordedIteration shape;
  shape.body.begin_region(regions::put);
  for (int m = 0; m < 1000; ++m)
    shape.body.add(transfer(TransferKind::put, 0, 8, 1));
  RankRecording recording;
  for (std::int64_t i = 0; i < 1000; ++i)
    recording.push_back(at_new_times(shape, random, 1'000'000 * i));
  return recording;
}

/// Runs a function in a child process, its standard error in a file. @returns how it ended, as waitpid says
template <typename Function>
int in_child(const std::filesystem::path& errors, Function&& function) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int file = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(file, STDERR_FILENO);
    ::_exit(function());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// What is left of the recording is its beginning. @param why  as the error says, it ends there
void require_readable_beginning(const std::filesystem::path& folder, const RankRecording& recording,
                                const std::string& why = "the end mark is missing") {
  write_manifest(folder, manifest_of(1, 0));
  RankRecording read;
  const std::string error = error_of(Trace(folder), 0, read);
  REQUIRE_THAT(error, Catch::Contains(why));
  REQUIRE(!read.empty());
  REQUIRE(read.size() < recording.size());
  REQUIRE(std::equal(read.begin(), read.end(), recording.begin()));
}

TEST_CASE("what a recorder flushed before SIGKILL is readable") {
  const TraceFolder folder;
  const RankRecording recording = large_recording();
  const int status = in_child(folder.path() / "errors", [&] {
    Recorder recorder(folder.path(), 0, read_clock);
    play(recorder, recording);
    return ::raise(SIGKILL);
  });
  REQUIRE(WIFSIGNALED(status));
  require_readable_beginning(folder.path(), recording);
}

TEST_CASE("of small iterations, SIGKILL loses those of the last two seconds") {
  const TraceFolder folder;
  std::mt19937_64 random(5);
  RankRecording recording;
  for (std::int64_t i = 0; i < 10; ++i)
    recording.push_back(random_iteration(random, 1, 1'000'000'000 * i));
  const int status = in_child(folder.path() / "errors", [&] {
    Recorder recorder(folder.path(), 0, read_clock);
    play(recorder, recording);
    return ::raise(SIGKILL);
  });
  REQUIRE(WIFSIGNALED(status));
  write_manifest(folder.path(), manifest_of(1, 0));
  RankRecording read;
  REQUIRE_THAT(error_of(Trace(folder.path()), 0, read), Catch::Contains("the end mark is missing"));
  CHECK(read.size() >= 10 - 2);
}

TEST_CASE("a full disk stops the recording with one line on standard error, and the program goes on") {
  const TraceFolder folder;
  const RankRecording recording = large_recording();
  const int status = in_child(folder.path() / "errors", [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2 << 20, 2 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return record(folder.path(), 0, recording) ? 1 : 0;  // finish() says that it failed
  });
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  const std::string errors = read_file(folder.path() / "errors");
  CHECK(std::count(errors.begin(), errors.end(), '\n') == 1);
  CHECK_THAT(errors, Catch::Contains("rank_00000.fgt: recording stopped (File too large)"));
  require_readable_beginning(folder.path(), recording, "(File too large)");
}

TEST_CASE("a disk with little room keeps as much as it loses, though a chunk of the usual size has no room") {
  const TraceFolder folder;
  const RankRecording recording = large_recording();
  const rlim_t room_bytes = 300'000;
  const int status = in_child(folder.path() / "errors", [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{room_bytes, room_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return record(folder.path(), 0, recording) ? 1 : 0;
  });
  REQUIRE(WEXITSTATUS(status) == 0);
  require_readable_beginning(folder.path(), recording, "the recording stopped after");
  CHECK(std::filesystem::file_size(folder.path() / "rank_00000.fgt") > room_bytes / 3);
}

TEST_CASE("a rank's file is synced before its recording is finished, and not while it records") {
  const TraceFolder folder;
  Recorder recorder(folder.path(), 0, read_clock);
  play(recorder, large_recording());
  CHECK(synced.empty());
  REQUIRE(recorder.finish());
  CHECK(synced == std::vector<std::string>{"rank_00000.fgt"});
}

TEST_CASE("a disk that is full from the start is an InputError, and leaves no file") {
  const TraceFolder folder;
  const int status = in_child(folder.path() / "errors", [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10, 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      const Recorder recorder(folder.path(), 0, read_clock);
    } catch (const InputError&) {
      return 0;
    }
    return 1;
  });
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  REQUIRE_FALSE(std::filesystem::exists(folder.path() / "rank_00000.fgt"));
}

}  // namespace
}  // namespace finegrain
