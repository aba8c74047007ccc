// SPDX-License-Identifier: MIT
#include "sim/answer/contention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/replay/contention.hpp"
#include "traces/io/units.hpp"

namespace finegrain::answer {
namespace {

constexpr std::size_t most_rows = 100;  ///< an answer's
constexpr std::size_t fewer_rows = 10;

std::string describe_traffic(const replay::Traffic& traffic) {
  return fmt::format("rank {}, node {} to {}", traffic.rank, traffic.from, traffic.to);
}

std::vector<replay::Contention> contention_of(const Answer& answer, const replay::ReplayOptions& options) {
  replay::ReplayJob job = answer.question.job;
  if (job.programs != nullptr) return replay_contention(job, options);
  const SchedulePrograms scheduled(*job.schedule);
  job.programs = &scheduled;
  return replay_contention(job, options);
}

}  // namespace

output::Table table_of_contention(std::span<const Answer> answers, const replay::ReplayOptions& options) {
  output::Table table;
  table.name = "contention";
  table.title = "Who shares links with whom: seconds that messages come later for it";
  table.columns = {{"platform", "platform"},
                   {"ranks", "ranks"},
                   {"region", "sent in"},
                   {"link", "link"},
                   {"message", "message of"},
                   {"rival", "beside"},
                   {"contention_late_s", "later", 6, output::Origin::simulated}};
  for (const Answer& answer : answers) {
    if (!answer.simulated) continue;
    const std::vector<replay::Contention> all = contention_of(answer, options);
    double all_s = 0;
    for (const replay::Contention& one : all)
      all_s += one.late_s;
    for (std::size_t i = 0; i < std::min(all.size(), most_rows); ++i) {
      table.rows.push_back({answer.question.job.platform->name, std::int64_t{answer.run().ranks},
                            all[i].region, all[i].link, describe_traffic(all[i].slowed),
                            describe_traffic(all[i].rival), all[i].late_s});
      if (i < fewer_rows) table.sums.push_back(table.rows.back());
    }
    table.notes.push_back(fmt::format("{}, {}: messages come {} later, all together",
                                      answer.question.job.platform->name,
                                      format_count(answer.run().ranks, "rank"), format_time(all_s)));
  }
  table.fewer = fmt::format("the {} greatest delays of each", fewer_rows);
  table.notes.emplace_back(
      "later: than alone on its way, all messages of a row together. link: the most crowded of the way "
      "meanwhile. "
      "beside: who used this link longest at the same time (docs/waits.md)");
  return table;
}

}  // namespace finegrain::answer
