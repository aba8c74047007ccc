// SPDX-License-Identifier: MIT
#include "traces/formats/format.hpp"

#include <fmt/format.h>

#include <functional>
#include <queue>
#include <vector>

#include "traces/formats/export_text.hpp"
#include "traces/formats/paje_rank.hpp"

namespace finegrain::formats {
namespace {

FileKind paje_kind() {
  return {"a Paje trace", {".paje", ".trace"}, [](std::string_view content) {
            return content.starts_with("%EventDef PajeDefineContainerType");
          }};
}

std::string definition(const char* name, int number, std::initializer_list<const char*> fields) {
  std::string text = fmt::format("%EventDef {} {}\n", name, number);
  for (const char* field : fields)
    text += fmt::format("% {}\n", field);
  return text + "%EndEventDef\n";
}

std::string header() {
  return definition("PajeDefineContainerType", 0, {"Alias string", "Type string", "Name string"}) +
         definition("PajeDefineStateType", 1, {"Alias string", "Type string", "Name string"}) +
         definition("PajeDefineLinkType", 2,
                    {"Alias string", "Type string", "StartContainerType string", "EndContainerType string",
                     "Name string"}) +
         definition("PajeCreateContainer", create_container,
                    {"Time date", "Alias string", "Type string", "Container string", "Name string"}) +
         definition("PajeDestroyContainer", destroy_container, {"Time date", "Type string", "Name string"}) +
         definition("PajePushState", push_state,
                    {"Time date", "Type string", "Container string", "Value string"}) +
         definition("PajePopState", pop_state, {"Time date", "Type string", "Container string"}) +
         definition("PajeStartLink", start_link,
                    {"Time date", "Type string", "Container string", "Value string", "StartContainer string",
                     "Key string", "SizeInBytes double"}) +
         definition("PajeEndLink", end_link,
                    {"Time date", "Type string", "Container string", "Value string", "EndContainer string",
                     "Key string"});
}

std::string containers(const Run& run) {
  std::string text =
      "0 CRUN 0 \"run\"\n0 CNODE CRUN \"node\"\n0 CRANK CNODE \"rank\"\n1 S CRANK \"doing\"\n"
      "2 L CRUN CRANK CRANK \"message\"\n";
  text += fmt::format("{} 0 run CRUN 0 \"run\"\n", static_cast<int>(create_container));
  for (int rank = 0; rank < run.ranks; ++rank) {
    const int node = rank / run.ranks_per_node;
    if (rank % run.ranks_per_node == 0)
      text += fmt::format("{} 0 n{} CNODE run \"node {}\"\n", static_cast<int>(create_container), node, node);
    text +=
        fmt::format("{} 0 r{} CRANK n{} \"rank {}\"\n", static_cast<int>(create_container), rank, node, rank);
  }
  return text;
}

}  // namespace

Export export_paje(const Trace& trace, const std::filesystem::path& path, const ExportOptions& options) {
  AtomicFile file(path, paje_kind(), options.protection);
  ExportText text(options.selection.most_bytes, "the trace takes");
  text.begin([&](std::string_view piece) { file.write(piece); });
  text.add(header() + containers(trace.manifest().run));
  std::vector<PajeRank> ranks;
  using Next = std::pair<std::int64_t, std::size_t>;  // time and rank
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (int rank = 0; rank < trace.manifest().run.ranks; ++rank) {
    ranks.emplace_back(trace, rank, text);
    if (const PajeEvent* event = ranks.back().front())
      next.emplace(event->time_ns, static_cast<std::size_t>(rank));
  }
  const std::int64_t first_ns = next.empty() ? 0 : next.top().first;
  Export result{path};
  while (!next.empty()) {
    PajeRank& rank = ranks[next.top().second];
    const PajeEvent& event = *rank.front();
    text.add(fmt::format("{} {:.9f} {}\n", event.kind, 1e-9 * static_cast<double>(event.time_ns - first_ns),
                         event.text));
    ++result.count;
    const std::size_t number = next.top().second;
    next.pop();
    rank.pop();
    if (const PajeEvent* after = rank.front()) next.emplace(after->time_ns, number);
  }
  text.flush();
  file.commit();
  return result;
}

}  // namespace finegrain::formats
