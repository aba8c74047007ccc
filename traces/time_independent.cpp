// SPDX-License-Identifier: MIT
#include "traces/time_independent.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "traces/io/atomic_file.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

void add_message(std::string& text, std::size_t rank, const Message& message) {
  const char* action = message.kind == MessageKind::send ? "isend" : "irecv";
  for (std::int64_t i = 0; i < message.repeat; ++i)
    fmt::format_to(std::back_inserter(text), "{} {} {} 0 {}\n", rank, action, message.peer,
                   message.size_bytes);
}

/// Actions of one iteration, a line each.
std::string actions(const Iteration& iteration, std::size_t rank, double flops_per_byte) {
  std::string text;
  for (const Phase& phase : iteration.phases) {
    if (phase.memory_bytes > 0)
      fmt::format_to(std::back_inserter(text), "{} compute {:.17g}\n", rank,
                     flops_per_byte * static_cast<double>(phase.memory_bytes));
    for (const Message& message : iteration.messages_of(phase))
      add_message(text, rank, message);
    if (phase.kind == PhaseKind::wait) fmt::format_to(std::back_inserter(text), "{} waitall\n", rank);
    if (phase.kind == PhaseKind::barrier) fmt::format_to(std::back_inserter(text), "{} barrier\n", rank);
  }
  return text;
}

void check_two_sided(const Schedule& schedule) {
  for (const Iteration& iteration : schedule.ranks) {
    for (const Message& message : iteration.messages) {
      if (message.kind == MessageKind::put || message.kind == MessageKind::get) {
        throw InputError(fmt::format(
            "export: a {} is one-sided (SMPI replays sends and receives only). Export a two-sided "
            "run, or use finegrain replay",
            to_string(message.kind)));
      }
    }
  }
}

}  // namespace

void write_time_independent(const Schedule& schedule, double flops_per_byte,
                            const std::filesystem::path& folder) {
  check_two_sided(schedule);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(
        fmt::format("{}: {} (a folder is needed). Give another --out", folder.string(), error.message()));
  // Gone until all that it names is there: an export that is cut short must not pass for an earlier one.
  std::filesystem::remove(folder / "trace.txt", error);
  std::string list;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::filesystem::path path = folder / fmt::format("rank_{:05}.txt", rank);
    const std::string iteration = actions(schedule.ranks[rank], rank, flops_per_byte);
    AtomicFile file(path);
    file.write(fmt::format("{} init\n", rank));
    for (std::int64_t i = 0; i < schedule.run.iterations; ++i)
      file.write(iteration);
    file.write(fmt::format("{} finalize\n", rank));
    file.commit();
    list += std::filesystem::absolute(path).string() + "\n";
  }
  AtomicFile file(folder / "trace.txt");
  file.write(list);
  file.commit();
}

}  // namespace finegrain
