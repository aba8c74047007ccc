// SPDX-License-Identifier: MIT
#include "traces/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "traces/formats/any_source.hpp"
#include "traces/formats/otf2_collectives.hpp"
#include "traces/formats/otf2_in_place.hpp"
#include "traces/formats/otf2_rank.hpp"
#include "traces/formats/otf2_trace.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::formats {
namespace {

/// The archive does not name its writer, but EZTrace's own region does.
bool is_of_eztrace(const Otf2Definitions& definitions) {
  return std::ranges::any_of(definitions.region_names, [&](const auto& region) {
    return definitions.region_name(region.first) == "EZTrace finalize";
  });
}

}  // namespace

Import import_otf2(const std::filesystem::path& anchor, const std::filesystem::path& folder,
                   const ImportOptions& /*options*/) {
  const Otf2Trace archive(anchor);
  const Otf2Definitions& definitions = archive.definitions();
  if (archive.ranks() == 0)
    throw InputError(anchor.string(), "has no ranks of MPI (no group of communicators' locations)",
                     "Record a program of MPI");
  const Otf2Communicators communicators(definitions);
  const Otf2Sizes sizes = is_of_eztrace(definitions) ? Otf2Sizes::of_arguments : Otf2Sizes::of_pairs;
  std::map<std::string, std::int64_t> remarks;
  std::vector<RankCalls> calls;
  std::vector<std::vector<Otf2Collective>> collectives;
  for (int rank = 0; rank < archive.ranks(); ++rank) {
    Otf2Rank reader(rank, definitions, communicators, sizes, remarks);
    reader.read(archive.events(rank));
    calls.push_back(std::move(reader.calls));
    collectives.push_back(std::move(reader.collectives));
  }
  const std::int64_t in_proportion = fill_sizes(calls, communicators.all(), collectives, sizes);
  // What finegrain itself exported is never in place.
  const UnknownInPlace unknown = definitions.creator != "finegrain"
                                     ? settle_in_place(calls, communicators.all(), collectives, sizes)
                                     : UnknownInPlace();
  const std::int64_t guessed_elements = guess_element_bytes(calls);
  const AnySource sources = find_sources(calls, communicators.all());

  ImportedTrace trace(folder, archive.ranks(), communicators.all());
  for (int rank = 0; rank < archive.ranks(); ++rank)
    trace.write(rank, calls[static_cast<std::size_t>(rank)]);
  Import result = trace.finish({anchor.string(), {{"imported", "OTF2"}}});
  for (const auto& [what, count] : remarks)
    result.notes.push_back(fmt::format("{} {}", count, what));
  if (in_proportion > 0)
    result.notes.push_back(
        fmt::format("{} alltoallv: the archive has only what each rank sends and receives in all. What it "
                    "sends to each is "
                    "taken to be in proportion",
                    in_proportion));
  const auto note_unknown = [&](std::int64_t count, const char* how) {
    if (count > 0)
      result.notes.push_back(fmt::format(
          "{}: the archive does not say whether it is in place (MPI_IN_PLACE), which decides its size. "
          "{}",
          format_count(count, "collective"), how));
  };
  note_unknown(unknown.taken_in_place, "Taken as in place, because others of the archive are");
  note_unknown(unknown.taken_otherwise, "Taken as not in place, because no others of the archive are");
  if (guessed_elements > 0)
    result.notes.push_back(fmt::format(
        "{} reductions: the format does not hold the size of an element: taken as 8, 4 or 1 bytes",
        guessed_elements));
  if (sources.unfound > 0)
    result.notes.push_back(fmt::format("{} receives find no message", sources.unfound));
  return result;
}

}  // namespace finegrain::formats
