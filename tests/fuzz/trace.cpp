// SPDX-License-Identifier: MIT
//
// A trace of which rank 0 alone has a file: its manifest, a 0 byte, the file, with right checksums. All that
// `finegrain trace` makes of it.
#include <algorithm>
#include <cstdint>

#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/rank_file_checksums.hpp"
#include "tests/traces/recording.hpp"
#include "traces/diff.hpp"
#include "traces/measurement.hpp"
#include "traces/summary.hpp"
#include "traces/time_independent.hpp"
#include "traces/timeline_export.hpp"
#include "traces/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace finegrain;
  const std::string text(fuzz::as_text({bytes, size}));
  const std::size_t manifest_end = std::min(text.find('\0'), text.size());
  fuzz::write_input(manifest_file_name, test::with_right_checksum(text.substr(0, manifest_end)));
  fuzz::write_input("rank_00000.fgt",
                    fuzz::with_right_checksums(text.substr(std::min(manifest_end + 1, text.size()))));
  fuzz::read_or_refuse([&] {
    const Trace trace(fuzz::folder());
    TimelineSelection selection;
    selection.most_bytes = 1 << 20;
    summarize(trace);
    verify(trace);
    fuzz::read_or_refuse([&] { diff(RecordedPrograms(trace), RecordedPrograms(trace)); });
    for (const TimelineFormat format : {TimelineFormat::chrome, TimelineFormat::csv})
      fuzz::read_or_refuse([&] { export_timeline(trace, format, selection, fuzz::folder() / "timeline"); });
    fuzz::read_or_refuse([&] {
      const Schedule schedule = schedule_of(trace);
      measure(trace);
      write_time_independent(schedule, 1, fuzz::folder() / "ti", static_cast<double>(selection.most_bytes));
    });
  });
  return 0;
}
