// SPDX-License-Identifier: MIT
#include "sim/cli/gate_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <pugixml.hpp>
#include <sstream>

#include "sim/cli/answer.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/output/text_table.hpp"
#include "traces/io/atomic_file.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

/// "+12 %", "+0.3 %", "0 %"
std::string percent(double share) {
  const double percents = 100 * share;
  if (std::abs(percents) < 0.05) return "0 %";
  return fmt::format("{:+.{}f} %", percents, std::abs(percents) < 9.95 ? 1 : 0);
}

/// "abel"; where there are several numbers of ranks, "1,024 ranks of abel"
std::string where(const GateAnswer& answer, int ranks, const std::string& platform) {
  return answer.compared.size() == 1 ? platform
                                     : fmt::format("{} of {}", format_count(ranks, "rank"), platform);
}

/// "+12 % on hdr_infiniband, +3 % on abel: halo.c:88 sends 26 messages a step, was 6"
std::string line_of_finding(const GateAnswer& answer, const ComparedRanks& on, const Finding& finding) {
  std::vector<std::string> costs;
  for (std::size_t p = 0; p < on.platforms.size(); ++p)
    costs.push_back(fmt::format("{} on {}", percent(finding.changes[p]),
                                where(answer, on.ranks, on.platforms[p].platform)));
  return fmt::format("{}: {}", fmt::join(costs, ", "), finding.text);
}

output::Table table_of_platforms(const GateAnswer& answer) {
  const double longest_s =
      answer.compared.front().platforms.empty() ? 0 : answer.compared.front().platforms.front().was_s();
  const int decimals = decimals_for(longest_s);
  output::Table table{
      .title = answer.title,
      .columns = {{"platform", "platform"},
                  {"ranks", "ranks"},
                  {"before_s", "before", decimals, output::Origin::simulated, "Seconds of the baseline"},
                  {"now_s", "now", decimals, output::Origin::simulated, "Seconds of the present program"},
                  {"change_percent", "change %", 2, output::Origin::simulated}},
      .rows = {},
      .notes = answer.notes,
      .name = "platforms"};
  for (const ComparedRanks& on : answer.compared)
    for (const PlatformTimes& times : on.platforms)
      table.rows.push_back(
          {times.platform, std::int64_t{on.ranks}, times.was_s(), times.is_s(), 100 * times.change()});
  return table;
}

output::Table table_of_findings(const GateAnswer& answer) {
  output::Table table{.title = "What changed, the most costly first",
                      .columns = {{"kind", "kind"},
                                  {"place", "place"},
                                  {"platform", "platform"},
                                  {"ranks", "ranks"},
                                  {"change_percent", "change %", 2, output::Origin::simulated},
                                  {"finding", "finding"}},
                      .rows = {},
                      .notes = {},
                      .name = "findings"};
  for (const ComparedRanks& on : answer.compared)
    for (const Finding& finding : on.findings)
      for (std::size_t p = 0; p < on.platforms.size(); ++p)
        table.rows.push_back({finding.kind, finding.place, on.platforms[p].platform, std::int64_t{on.ranks},
                              100 * finding.changes[p], finding.text});
  return table;
}

std::string verdict(const GateAnswer& answer) {
  std::vector<std::string> slower, refused;
  for (const ComparedRanks& on : answer.compared) {
    for (const PlatformTimes& times : on.platforms)
      if (answer.is_slower(times)) slower.push_back(where(answer, on.ranks, times.platform));
    if (!on.refusal.empty()) refused.push_back(format_count(on.ranks, "rank"));
  }
  const std::string missing =
      refused.empty() ? "" : fmt::format(" Not compared: {}.", fmt::join(refused, ", "));
  if (!slower.empty())
    return fmt::format("Slower by more than {:g} %: {}.{}", 100 * answer.threshold, fmt::join(slower, ", "),
                       missing);
  return (answer.findings() == 0
              ? "No change."
              : fmt::format("No platform is slower by more than {:g} %{}.", 100 * answer.threshold,
                            answer.strict ? ", but --strict allows no finding" : "")) +
         missing;
}

}  // namespace

std::size_t GateAnswer::findings() const {
  std::size_t number = 0;
  for (const ComparedRanks& on : compared)
    number += on.findings.size();
  return number;
}

bool GateAnswer::passes() const {
  if (strict && findings() > 0) return false;
  return std::ranges::none_of(compared, [&](const ComparedRanks& on) {
    return std::ranges::any_of(on.platforms, [&](const PlatformTimes& times) { return is_slower(times); });
  });
}

bool GateAnswer::is_whole() const {
  return std::ranges::all_of(compared, [](const ComparedRanks& on) { return on.refusal.empty(); });
}

void print_gate(std::ostream& out, const GateAnswer& answer, output::Format format) {
  if (format != output::Format::table)
    return output::print(out, {table_of_platforms(answer), table_of_findings(answer)}, format);
  output::print(out, {table_of_platforms(answer)}, format);
  out << '\n';
  for (const ComparedRanks& on : answer.compared)
    for (const Finding& finding : on.findings)
      output::print_text(out, line_of_finding(answer, on, finding));
  output::print_text(out, verdict(answer));
}

void write_junit(const std::string& file, const GateAnswer& answer) {
  std::string lines;
  for (const ComparedRanks& on : answer.compared)
    for (const Finding& finding : on.findings)
      lines += line_of_finding(answer, on, finding) + '\n';
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuite");
  suite.append_attribute("name") = "finegrain gate";
  int tests = 0, failures = 0;
  const auto add = [&](const std::string& name, const std::string& failure) {
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = "finegrain.gate";
    test.append_attribute("name") = name.c_str();
    ++tests;
    if (failure.empty()) return;
    ++failures;
    pugi::xml_node node = test.append_child("failure");
    node.append_attribute("message") = failure.c_str();
    node.text() = lines.c_str();
  };
  for (const ComparedRanks& on : answer.compared) {
    for (const PlatformTimes& times : on.platforms)
      add(fmt::format("time on {}", where(answer, on.ranks, times.platform)),
          answer.is_slower(times)
              ? fmt::format("{}: {} ({:.6g} s, was {:.6g} s)", where(answer, on.ranks, times.platform),
                            percent(times.change()), times.is_s(), times.was_s())
              : "");
    if (!on.refusal.empty()) add(fmt::format("comparison on {}", format_count(on.ranks, "rank")), on.refusal);
  }
  if (answer.strict)
    add("no change", answer.findings() == 0 ? "" : format_count(answer.findings(), "finding"));
  suite.append_attribute("tests") = tests;
  suite.append_attribute("failures") = failures;
  std::ostringstream text;
  document.save(text, "  ");
  AtomicFile out(
      file, {.name = "a result of the gate", .endings = {".xml"}, .recognises = [](std::string_view content) {
               return content.find("<testsuite name=\"finegrain gate\"") != std::string_view::npos;
             }});
  out.write(text.str());
  out.commit();
}

}  // namespace finegrain::cli
