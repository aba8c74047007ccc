// SPDX-License-Identifier: MIT
#include "sim/cli/gate_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
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

/// "+12 % on hdr_infiniband, +3 % on abel: halo.c:88 sends 26 messages a step, was 6"
std::string line_of_finding(const Finding& finding, const std::vector<PlatformTimes>& platforms) {
  std::vector<std::string> costs;
  for (std::size_t p = 0; p < platforms.size(); ++p)
    costs.push_back(fmt::format("{} on {}", percent(finding.changes[p]), platforms[p].platform));
  return fmt::format("{}: {}", fmt::join(costs, ", "), finding.text);
}

output::Table table_of_platforms(const GateAnswer& answer) {
  const double longest_s = answer.platforms.empty() ? 0 : answer.platforms.front().was_s();
  const int decimals = decimals_for(longest_s);
  output::Table table{
      .title = answer.title,
      .columns = {{"platform", "platform"},
                  {"before_s", "before", decimals, output::Origin::simulated, "Seconds of the baseline"},
                  {"now_s", "now", decimals, output::Origin::simulated, "Seconds of the present program"},
                  {"change_percent", "change %", 2, output::Origin::simulated}},
      .rows = {},
      .notes = answer.notes,
      .name = "platforms"};
  for (const PlatformTimes& times : answer.platforms)
    table.rows.push_back({times.platform, times.was_s(), times.is_s(), 100 * times.change()});
  return table;
}

output::Table table_of_findings(const GateAnswer& answer) {
  output::Table table{.title = "What changed, the most costly first",
                      .columns = {{"kind", "kind"},
                                  {"place", "place"},
                                  {"platform", "platform"},
                                  {"change_percent", "change %", 2, output::Origin::simulated},
                                  {"finding", "finding"}},
                      .rows = {},
                      .notes = {},
                      .name = "findings"};
  for (const Finding& finding : answer.findings)
    for (std::size_t p = 0; p < answer.platforms.size(); ++p)
      table.rows.push_back({finding.kind, finding.place, answer.platforms[p].platform,
                            100 * finding.changes[p], finding.text});
  return table;
}

std::string verdict(const GateAnswer& answer) {
  std::vector<std::string> slower;
  for (const PlatformTimes& times : answer.platforms)
    if (answer.is_slower(times)) slower.push_back(times.platform);
  if (!slower.empty())
    return fmt::format("Slower by more than {:g} %: {}.", 100 * answer.threshold, fmt::join(slower, ", "));
  return answer.findings.empty()
             ? "No change."
             : fmt::format("No platform is slower by more than {:g} %{}.", 100 * answer.threshold,
                           answer.strict ? ", but --strict allows no finding" : "");
}

}  // namespace

bool GateAnswer::passes() const {
  if (strict && !findings.empty()) return false;
  return std::ranges::none_of(platforms, [&](const PlatformTimes& times) { return is_slower(times); });
}

void print_gate(std::ostream& out, const GateAnswer& answer, output::Format format) {
  if (format != output::Format::table)
    return output::print(out, {table_of_platforms(answer), table_of_findings(answer)}, format);
  output::print(out, {table_of_platforms(answer)}, format);
  out << '\n';
  for (const Finding& finding : answer.findings)
    output::print_text(out, line_of_finding(finding, answer.platforms));
  output::print_text(out, verdict(answer));
}

void write_junit(const std::string& file, const GateAnswer& answer) {
  std::string lines;
  for (const Finding& finding : answer.findings)
    lines += line_of_finding(finding, answer.platforms) + '\n';
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
  for (const PlatformTimes& times : answer.platforms)
    add(fmt::format("time on {}", times.platform),
        answer.is_slower(times) ? fmt::format("{}: {} ({:.6g} s, was {:.6g} s)", times.platform,
                                              percent(times.change()), times.is_s(), times.was_s())
                                : "");
  if (answer.strict)
    add("no change", answer.findings.empty() ? "" : format_count(answer.findings.size(), "finding"));
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
