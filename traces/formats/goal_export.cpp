// SPDX-License-Identifier: MIT
#include "traces/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "traces/formats/export_text.hpp"
#include "traces/formats/message_tags.hpp"
#include "traces/formats/rank_calls.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::formats {
namespace {

constexpr std::string_view first_line = "// A GOAL schedule, made by finegrain of a recorded run";

FileKind goal_kind() {
  return {
      "a GOAL schedule", {".goal"}, [](std::string_view content) { return content.starts_with(first_line); }};
}

using Labels = std::vector<std::int64_t>;

/// What a rank does one after the other: its program, or a collective beside it.
struct Sequence {
  Labels after_ends;                        ///< the next operation requires all of them
  std::optional<std::int64_t> after_start;  ///< and comes after this one
  std::map<std::int64_t, Labels> open;      ///< what ends a request, by its number
  std::int64_t requests = 0;
  std::int64_t work_ns = 0;  ///< that is not written yet
};

/// Writes one rank's operations.
class GoalWriter {
 public:
  GoalWriter(const Trace& trace, std::int32_t rank, const MessageTags& tags, const ExpandCollective& expand,
             ExportText& text, std::map<std::string, std::int64_t>& remarks)
      : trace_(trace), rank_(rank), tags_(tags), expand_(expand), text_(text), remarks_(remarks) {}

  void write(const RecordedIteration& call) {
    const Body& body = call.body;
    if (call.lost_ns > 0)
      ++remarks_["stretches of work in which the rank waited for a core: that time is left out"];
    if (body.regions.size() == 2) work(call.regions[0].length_ns() - call.lost_ns, program_);
    for (const Operation& operation : body.operations_of(body.regions.back())) {
      if (const auto* collective = std::get_if<Collective>(&operation)) {
        write(*collective, body);
      } else if (std::holds_alternative<Work>(operation)) {
        work(call.regions.back().length_ns(), program_);
      } else if (const auto* post = std::get_if<Post>(&operation); post != nullptr) {
        if (is_two_sided(post->kind)) {
          write(*post, tags_.of(*post), program_);
        } else if (is_nothing(*post, rank_)) {
          if (makes_request(*post)) program_.open[++program_.requests] = {};
        } else {
          refuse(to_string(post->kind));
        }
      } else if (const auto* complete = std::get_if<Complete>(&operation)) {
        write(*complete, program_);
      } else {
        refuse("lock");
      }
    }
    ++calls_;
  }
  void finish() { calculate(program_); }
  std::int64_t operations() const { return operations_; }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw InputError(trace_.file_name(rank_),
                     fmt::format("call {} is a {} (GOAL has sends and receives only)", calls_, what),
                     "Use finegrain replay, or export it as OTF2");
  }

  template <typename... Arguments>
  std::int64_t add(Sequence& in, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const std::int64_t label = ++operations_;
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "l{}: ", label);
    fmt::format_to(out, format, std::forward<Arguments>(arguments)...);
    text += '\n';
    std::ranges::sort(in.after_ends);
    for (const std::int64_t ended : in.after_ends)
      fmt::format_to(out, "l{} requires l{}\n", label, ended);
    if (in.after_start) fmt::format_to(out, "l{} irequires l{}\n", label, *in.after_start);
    in.after_ends.clear();
    in.after_start.reset();
    text_.add(text);
    return label;
  }

  void work(std::int64_t time_ns, Sequence& in) { in.work_ns += std::max<std::int64_t>(0, time_ns); }
  /// Writes the work since the last operation. Calls that are no operations do not cut it.
  void calculate(Sequence& in) {
    if (const std::int64_t work_ns = std::exchange(in.work_ns, 0); work_ns > 0)
      in.after_ends = {add(in, "calc {}", work_ns)};
  }

  void write(const Post& post, std::int64_t tag, Sequence& in) {
    calculate(in);
    const bool sends = post.kind == TransferKind::send;
    if (post.is_synchronous) ++remarks_["synchronous sends, written as others"];
    if (post.is_buffered) ++remarks_["buffered sends, written as others"];
    if (post.any_source || post.any_tag)
      ++remarks_["receives of any source or tag, written with what they took"];
    Labels ends;
    text_.expect(static_cast<double>(post.repeat), "l1: send 1b to 1 tag 1\n");
    for (std::int64_t i = 0; i < post.repeat; ++i) {
      const std::int64_t label = add(in, "{} {}b {} {} tag {}", sends ? "send" : "recv", post.size_bytes,
                                     sends ? "to" : "from", post.peer, tag);
      in.after_start = label;
      ends.push_back(label);
    }
    if (makes_request(post)) {
      in.open[++in.requests] = std::move(ends);
    } else {
      wait_for(ends, in);
    }
  }

  static void wait_for(const Labels& ends, Sequence& in) {
    in.after_ends.insert(in.after_ends.end(), ends.begin(), ends.end());
    // What has ended has begun.
    if (in.after_start && std::ranges::count(ends, *in.after_start) > 0) in.after_start.reset();
  }

  void write(const Complete& complete, Sequence& in) {
    const std::int64_t first = complete.is_all() ? 0 : in.requests + 1 - complete.oldest;
    const auto from = in.open.lower_bound(first);
    const auto to = complete.is_all() ? in.open.end() : in.open.lower_bound(first + complete.count);
    Labels ends;
    for (auto open = from; open != to; ++open)
      ends.insert(ends.end(), open->second.begin(), open->second.end());
    in.open.erase(from, to);
    if (!ends.empty()) calculate(in);
    wait_for(ends, in);
  }

  void write(const Collective& collective, const Body& body) {
    if (collective.posted) {
      throw InputError(
          trace_.file_name(rank_),
          fmt::format("one thread of the rank waits in its {} while others go on (a rank of GOAL "
                      "has no threads)",
                      to_string(collective.kind)),
          "Export it as OTF2, which keeps threads");
    }
    const std::int64_t instance =
        collective.blocking ? 0 : 1 + posted_[collective.communicator]++ % collectives_at_once;
    const std::int64_t tag =
        tags_.after_last() + collective.communicator * (collectives_at_once + 1) + instance;
    if (tag > std::numeric_limits<std::int32_t>::max())
      throw InputError("export", "the tags of messages leave none for collectives", "Use finegrain replay");
    ++remarks_["collectives, written as the messages that they send; their sums and copies are left out"];
    calculate(program_);
    Sequence messages;
    messages.after_ends = program_.after_ends;
    messages.after_start = program_.after_start;
    for (const Operation& operation : expand_(collective, body, rank_)) {
      if (const auto* post = std::get_if<Post>(&operation)) write(*post, tag, messages);
      if (const auto* complete = std::get_if<Complete>(&operation)) write(*complete, messages);
    }
    if (collective.blocking) {
      program_.after_ends = std::move(messages.after_ends);
      program_.after_start = messages.after_start;
      return;
    }
    if (messages.after_start) messages.after_ends.push_back(*messages.after_start);
    program_.open[++program_.requests] = std::move(messages.after_ends);
  }

  const Trace& trace_;
  std::int32_t rank_;
  const MessageTags& tags_;
  const ExpandCollective& expand_;
  ExportText& text_;
  std::map<std::string, std::int64_t>& remarks_;
  Sequence program_;
  std::map<std::int32_t, std::int64_t> posted_;  ///< collectives that do not block, by communicator
  std::int64_t operations_ = 0;
  std::int64_t calls_ = 0;
};

}  // namespace

Export export_goal(const Trace& trace, const std::filesystem::path& path, const ExportOptions& options) {
  const int ranks = trace.manifest().run.ranks;
  const MessageTags tags(trace);
  std::map<std::string, std::int64_t> remarks;
  Export result{path, 0, "operation"};
  AtomicFile file(path, goal_kind(), options.protection);
  ExportText text(options.selection.most_bytes, "the schedule takes");
  text.begin([&](std::string_view piece) { file.write(piece); });
  text.add(fmt::format("{}\nnum_ranks {}\n", first_line, ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    text.add(fmt::format("\nrank {} {{\n", rank));
    GoalWriter writer(trace, rank, tags, options.expand, text, remarks);
    Trace::RankReader reader = trace.rank_in_one_order(rank);
    while (const auto call = reader.next()) {
      if (!call->body.regions.empty()) writer.write(*call);
    }
    writer.finish();
    text.add("}\n");
    result.count += writer.operations();
  }
  text.flush();
  file.commit();
  for (const auto& [what, count] : remarks)
    result.notes.push_back(fmt::format("{} {}", count, what));
  if (tags.messages() > 0) {
    result.notes.push_back(fmt::format(
        "{} of other communicators: the format has none, so they have tags of their own, from {} on",
        format_count(tags.messages(), "message"), tags.first()));
  }
  return result;
}

}  // namespace finegrain::formats
