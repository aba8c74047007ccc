// SPDX-License-Identifier: MIT
#include "traces/program_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>
#include <variant>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"
#include "traces/place_of_call.hpp"
#include "traces/waited_for_cores.hpp"

namespace finegrain {
namespace {

constexpr double most_lost = 0.1;  ///< a share of the time between calls

/// Numbers come from a file, so their sums wrap.
void add(std::int64_t& sum, std::uint64_t number) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + number);
}

double seconds_of(std::int64_t nanoseconds) {
  return 1e-9 * static_cast<double>(nanoseconds);
}

class Summing {
 public:
  Summing(ProgramSummary& summary, int ranks) : summary_(summary), ranks_(static_cast<std::size_t>(ranks)) {
    summary.work_of_ranks_s.resize(ranks_, 0);
    summary.lost_of_ranks_s.resize(ranks_, 0);
  }

  void add(const RecordedIteration& call) {
    const Body& body = call.body;
    if (body.regions.empty()) return;  // no call
    has_threads_ = has_threads_ || call.thread != 0;
    add_work(call);
    const Region& region = body.regions.back();
    if (is_moment_of_thread(region.name)) return;
    FunctionSummary& function = function_of(region.name);
    finegrain::add(function.calls, call.calls);
    finegrain::add(summary_.calls, call.calls);
    const double time_s = seconds_of(call.regions.back().length_ns());
    function.seconds += time_s;
    function.ranks_s[rank_] += time_s;
    for_each_post(body.operations_of(region), [&](const Post& post) { add(post, function); });
    follow_asking(call);
    if (last_.start_ns == 0) first_end_ns_ = std::min(first_end_ns_, call.time.end_ns);
    last_ = {call.regions.back().start_ns, call.regions.back().end_ns};
  }
  /// The time between two calls in the file is no thread's work where several threads of the rank call MPI.
  bool needs_one_order() const { return has_threads_; }
  void take_work_of(Trace::RankReader in_one_order) {
    summary_.work_of_ranks_s[rank_] = 0;
    summary_.lost_of_ranks_s[rank_] = 0;
    while (const auto part = in_one_order.next())
      add_work(*part);
  }
  void end_rank() {
    has_threads_ = false;
    asked_ = {};
    last_start_ns_ = std::max(last_start_ns_, last_.start_ns);
    last_ = {};
    ++rank_;
  }
  void finish() {
    for (auto& [name, function] : functions_)
      summary_.functions.push_back(function);
    summary_.work_s = std::accumulate(summary_.work_of_ranks_s.begin(), summary_.work_of_ranks_s.end(), 0.);
    summary_.lost_s = std::accumulate(summary_.lost_of_ranks_s.begin(), summary_.lost_of_ranks_s.end(), 0.);
    std::ranges::stable_sort(summary_.functions, std::ranges::greater(), &FunctionSummary::seconds);
    if (last_start_ns_ > first_end_ns_)
      summary_.measured_s = seconds_of(Interval{first_end_ns_, last_start_ns_}.length_ns());
  }

 private:
  /// Follows how often a rank in a row asks for the same of another rank's window, with hardly any work
  /// between. Calls without a message or collective, such as MPI_Win_flush, may stand between.
  void follow_asking(const RecordedIteration& call) {
    constexpr std::int64_t longest_work_ns = 50'000;
    if (call.body.regions.size() > 1 && call.regions.front().length_ns() - call.lost_ns > longest_work_ns)
      asked_ = {};
    const Region& region = call.body.regions.back();
    const Post* asks = nullptr;
    for (const Operation& operation : call.body.operations_of(region)) {
      const auto* post = std::get_if<Post>(&operation);
      if (post != nullptr && (post->kind == TransferKind::get || post->kind == TransferKind::fetch))
        asks = post;
      else if (post != nullptr || std::holds_alternative<Collective>(operation))
        asked_ = {};
    }
    if (asks == nullptr) return;
    if (asked_.times > 0 && asked_.function == region.name && asked_.peer == asks->peer &&
        asked_.bytes == asks->size_bytes)
      ++asked_.times;
    else
      asked_ = {.function = region.name,
                .rank = static_cast<int>(rank_),
                .peer = asks->peer,
                .bytes = asks->size_bytes,
                .times = 1};
    if (asked_.times > summary_.asked.times) summary_.asked = asked_;
  }
  /// The first of two regions is the work before the call.
  void add_work(const RecordedIteration& call) {
    if (call.body.regions.size() < 2) return;
    summary_.work_of_ranks_s[rank_] += seconds_of(call.regions.front().length_ns() - call.lost_ns);
    summary_.lost_of_ranks_s[rank_] += seconds_of(call.lost_ns);
  }
  FunctionSummary& function_of(RegionName name) {
    const auto [known, is_new] = functions_.try_emplace(name, FunctionSummary{.name = name, .ranks_s = {}});
    if (is_new) known->second.ranks_s.resize(ranks_, 0);
    return known->second;
  }
  void add(const Post& post, FunctionSummary& function) {
    const double bytes = static_cast<double>(post.repeat) * static_cast<double>(post.size_bytes);
    finegrain::add(function.messages, static_cast<std::uint64_t>(post.repeat));
    function.message_bytes += bytes;
    if (post.kind == TransferKind::receive) return;
    finegrain::add(summary_.messages, static_cast<std::uint64_t>(post.repeat));
    summary_.message_bytes += bytes;
  }

  ProgramSummary& summary_;
  std::size_t ranks_;
  std::size_t rank_ = 0;  ///< that is being read
  bool has_threads_ = false;
  std::map<RegionName, FunctionSummary> functions_;
  AskedInARow asked_;  ///< at the end of what was read
  Interval last_;      ///< call of the rank
  std::int64_t first_end_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_start_ns_ = std::numeric_limits<std::int64_t>::min();
};

/// Why a trace's times are sums of its work, where no run wrote it. Otherwise empty.
std::string why_not_measured(const Manifest& manifest) {
  const auto& environment = manifest.environment;
  if (const auto scaled = environment.find("scaled"); scaled != environment.end())
    return fmt::format("nobody ran this; the trace was scaled {}", scaled->second);
  // OTF2 is the one format that says when calls began and ended.
  const auto imported = environment.find("imported");
  if (imported == environment.end() || imported->second.starts_with("OTF2")) return {};
  return fmt::format("nothing; the trace was imported from a format without times of calls ({})",
                     imported->second);
}

}  // namespace

ProgramSummary summarize_program(const Trace& trace, const OnRank& on_rank) {
  ProgramSummary summary;
  summary.not_measured = why_not_measured(trace.manifest());
  Summing summing(summary, trace.manifest().run.ranks);
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    try {
      summary.file_bytes += trace.file_bytes(rank);
      Trace::RankReader reader = trace.rank(rank);
      while (const auto call = reader.next())
        summing.add(*call);
      if (summing.needs_one_order()) summing.take_work_of(trace.rank_in_one_order(rank));
    } catch (const InputError& error) {
      summary.problems.emplace_back(error.what());
    }
    summing.end_rank();
    if (on_rank) on_rank(rank + 1, trace.manifest().run.ranks);
  }
  summing.finish();
  return summary;
}

std::string wait_for_cores_note(const ProgramSummary& summary) {
  const double between_s = summary.work_s + summary.lost_s;
  if (summary.lost_s <= most_lost * between_s) return {};
  return fmt::format(
      "{:.0f} % of the time between calls a rank's threads did not run: they waited for a core (more ranks "
      "than cores, or another program), for each other, or between tests that found nothing. That time is "
      "left "
      "out of their work",
      100 * summary.lost_s / between_s);
}

namespace {

/// @param key  in the manifest's environment; its value begins with seconds
/// @returns the value, if it is more than a hundredth of the recorded work; otherwise empty
std::string long_time(const ProgramSummary& summary, const Manifest& manifest, const char* key) {
  const auto text = manifest.environment.find(key);
  if (text == manifest.environment.end()) return {};
  double seconds = 0;
  std::from_chars(text->second.data(), text->second.data() + text->second.size(), seconds);
  return seconds > summary.work_s / 100 ? text->second : std::string();
}

std::string own_functions_note(const Manifest& manifest) {
  const auto counted = manifest.environment.find(only_counted);
  if (counted == manifest.environment.end()) return {};
  std::vector<std::string_view> makers;
  for (const std::string_view maker : {"MPI_Op_create", "MPI_Grequest_start"})
    if (counted->second.find(std::string(maker) + ' ') != std::string::npos) makers.push_back(maker);
  if (makers.empty()) return {};
  return fmt::format(
      "the program has functions of its own that MPI calls ({}): what they compute there is in no simulated "
      "time",
      fmt::join(makers, ", "));
}

}  // namespace

std::vector<std::string> left_out_notes(const ProgramSummary& summary, const Manifest& manifest) {
  std::vector<std::string> notes;
  if (const std::string time = long_time(summary, manifest, uncounted_cpu_time); !time.empty())
    notes.push_back(fmt::format(
        "CPU time of threads before their first call of MPI, after their last one, or without any is in no "
        "simulated time: {}",
        time));
  if (const std::string time = long_time(summary, manifest, slept_between_tests); !time.empty())
    notes.push_back(fmt::format(
        "ranks slept, or waited for a file, a device or another thread, between tests that found nothing. "
        "That counts as waiting for the messages, and is in no simulated time: {}",
        time));
  if (const std::string time = long_time(summary, manifest, slept_for_threads); !time.empty())
    notes.push_back(
        fmt::format("ranks slept while threads of theirs that make no calls waited for a core. That counts "
                    "as waiting for "
                    "a core, and is in no simulated time: {}",
                    time));
  if (std::string note = own_functions_note(manifest); !note.empty()) notes.push_back(std::move(note));
  if (std::ranges::any_of(summary.functions, [](const FunctionSummary& function) {
        return function.name.text().starts_with("MPI_Win_allocate_shared");
      }))
    notes.emplace_back(
        "ranks share memory (MPI_Win_allocate_shared): what they read and write there, and their waits for "
        "one another there, are work as it was recorded");
  constexpr std::int64_t most_asked = 100;
  if (const AskedInARow& asked = summary.asked; asked.times >= most_asked)
    notes.push_back(fmt::format(
        "rank {} asks rank {} {} times in a row for {} ({}). If it waits so until another rank has written "
        "there, the simulated time is wrong on slower networks: it asks as often as in the recording",
        asked.rank, asked.peer, asked.times, format_count(asked.bytes, "byte"), asked.function->text()));
  return notes;
}

std::string first_complete_note(const ProgramSummary& summary) {
  constexpr std::array<std::string_view, 4> of_several = {"MPI_Waitany", "MPI_Waitsome", "MPI_Testany",
                                                          "MPI_Testsome"};
  std::vector<std::string> calls;
  for (const FunctionSummary& function : summary.functions)
    if (std::ranges::find(of_several, function.name.text().substr(0, function.name.text().find(' '))) !=
        of_several.end())
      calls.push_back(fmt::format("{} ({})", function.name.text(), format_count(function.calls, "call")));
  if (calls.empty()) return "";
  return fmt::format("{}: requests complete in the recorded order, whichever would be first here",
                     fmt::join(calls, ", "));
}

}  // namespace finegrain
