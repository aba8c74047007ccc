// SPDX-License-Identifier: MIT
#include "traces/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "traces/actions_folder.hpp"
#include "traces/formats/export_text.hpp"
#include "traces/formats/message_tags.hpp"
#include "traces/formats/smpi_writer.hpp"
#include "traces/io/units.hpp"
#include "traces/time_independent.hpp"

namespace finegrain::formats {
namespace {

/// Whether a rank goes on during a blocking collective, because only one of its threads waits.
bool has_posted_collectives(const Trace& trace) {
  const auto is_posted = [](const Operation& operation) {
    const auto* collective = std::get_if<Collective>(&operation);
    return collective != nullptr && collective->posted;
  };
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    Trace::RankReader reader = trace.rank_in_one_order(rank);
    while (const auto call = reader.next()) {
      if (std::ranges::any_of(call->body.operations, is_posted)) return true;
    }
  }
  return false;
}

Export export_iterations(const Trace& trace, const std::filesystem::path& folder,
                         const ExportOptions& options) {
  const Schedule schedule = schedule_of(trace);
  write_time_independent(schedule, options.flops_per_byte, folder,
                         static_cast<double>(options.selection.most_bytes), options.protection);
  return {folder / "trace.txt", schedule.run.iterations, "iteration"};
}

}  // namespace

Export export_time_independent(const Trace& trace, const std::filesystem::path& folder,
                               const ExportOptions& options) {
  if (trace.knows_iterations()) return export_iterations(trace, folder, options);
  const MessageTags tags(trace);
  const BlockingCollectives collectives =
      has_posted_collectives(trace) ? BlockingCollectives::begin_and_wait : BlockingCollectives::as_they_are;
  std::map<std::string, std::int64_t> remarks;
  Export result{folder / "trace.txt", 0, "action"};
  ExportText text(options.selection.most_bytes, "the actions (a line each) take");
  write_actions_folder(folder, trace.manifest().run.ranks, options.protection,
                       [&](int rank, AtomicFile& file) {
                         text.begin([&](std::string_view piece) { file.write(piece); });
                         SmpiWriter writer(trace, rank, options.flops_per_second, tags, collectives,
                                           options.expand, text, remarks);
                         Trace::RankReader reader = trace.rank_in_one_order(rank);
                         while (const auto call = reader.next()) {
                           if (!call->body.regions.empty()) writer.write(*call);
                         }
                         text.flush();
                         result.count += writer.actions();
                       });
  for (const auto& [what, count] : remarks)
    result.notes.push_back(fmt::format("{} {}", count, what));
  if (tags.messages() > 0) {
    result.notes.push_back(
        fmt::format("{} of other communicators: the format has none, so they have tags of their own, "
                    "from {} on",
                    format_count(tags.messages(), "message"), tags.first()));
  }
  return result;
}

}  // namespace finegrain::formats
