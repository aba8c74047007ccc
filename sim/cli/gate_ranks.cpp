// SPDX-License-Identifier: MIT
#include "sim/cli/gate_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <optional>
#include <string_view>
#include <system_error>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/places/chain_names.hpp"
#include "traces/scaling/scaled_trace.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view recording_prefix = "on";

/// None: the text is not a number.
std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::vector<std::string> command_on(std::vector<std::string> words, int ranks) {
  constexpr std::array<std::string_view, 4> flags{"-n", "-np", "--np", "--ntasks"};
  for (std::size_t word = 0; word < words.size(); ++word) {
    if (words[word].starts_with("--ntasks=")) {
      words[word] = fmt::format("--ntasks={}", ranks);
      return words;
    }
    if (std::ranges::find(flags, words[word]) == flags.end() || word + 1 == words.size()) continue;
    if (!whole_number(words[word + 1])) continue;
    words[word + 1] = std::to_string(ranks);
    return words;
  }
  throw InputError("--at", "the command does not say its number of ranks (nothing could be replaced)",
                   "Write it with -n: mpirun -n 4 ./my_code");
}

fs::path recording_on(const fs::path& folder, int ranks) {
  return folder / fmt::format("{}{}", recording_prefix, ranks);
}

std::vector<int> recorded_on(const fs::path& folder) {
  std::vector<int> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(recording_prefix)) continue;
    if (const std::optional<int> ranks = whole_number(name.substr(recording_prefix.size())))
      found.push_back(*ranks);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> notes_of_both(const std::vector<std::string>& baseline,
                                       const std::vector<std::string>& present) {
  const auto has = [](const std::vector<std::string>& notes, const std::string& note) {
    return std::ranges::find(notes, note) != notes.end();
  };
  std::vector<std::string> notes;
  for (const std::string& note : baseline)
    notes.push_back(has(present, note) ? note : fmt::format("{}: {}", baseline_side, note));
  for (const std::string& note : present)
    if (!has(baseline, note)) notes.push_back(fmt::format("{}: {}", present_side, note));
  return notes;
}

std::vector<std::string> write_scaled(const fs::path& folder, const fs::path& run, int ranks,
                                      const fs::path& out) {
  std::vector<fs::path> recordings{run};
  for (const int count : recorded_on(folder))
    recordings.push_back(recording_on(folder, count));
  if (recordings.size() < 2)
    throw InputError(folder.string(),
                     fmt::format("has recordings on {} only, and --ranks needs rules from several numbers",
                                 format_count(Trace(run).manifest().run.ranks, "rank")),
                     "Record a new one with --keep and --at");
  std::deque<Trace> traces;
  std::vector<const Trace*> read;
  places::ChainNames names;
  for (const fs::path& recording : recordings) {
    names.name(traces.emplace_back(recording));
    read.push_back(&traces.back());
  }
  return scaling::scale_trace(
             read, ranks, out, scaling::Exactly::usual_rule, {},
             [&](const std::string& a, const std::string& b) { return names.is_before(a, b); },
             scaling::CallsNamed::by_place)
      .notes;
}

}  // namespace finegrain::cli
