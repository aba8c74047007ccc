// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "tests/traces/recording.hpp"
#include "traces/formats/format.hpp"

namespace finegrain {
namespace {

using test::TraceFolder;
using test::write_file;

TEST_CASE("every format is read or written, and says of which files") {
  std::set<std::string_view> names;
  for (const formats::Format& format : formats::all_formats()) {
    INFO(format.name);
    CHECK(names.insert(format.name).second);
    CHECK(&formats::format_named(format.name) == &format);
    CHECK((format.read != nullptr || format.write != nullptr));
    const bool is_read = format.read != nullptr;
    CHECK((format.recognizes != nullptr) == is_read);
    CHECK(format.reads.empty() != is_read);
    CHECK(format.to_give.empty() != is_read);
    CHECK(format.recognized_by.empty() != is_read);
    CHECK(format.writes.empty() != (format.write != nullptr));
  }
}

TEST_CASE("a format is recognized by a file's name or its first bytes, and is ti if no other is") {
  const TraceFolder folder;
  const auto recognized = [&](const char* name, const char* content) {
    write_file(folder.path() / name, content);
    return formats::recognized_format(folder.path() / name).name;
  };
  std::filesystem::create_directories(folder.path());
  CHECK(recognized("a.otf2", "") == "otf2");
  CHECK(recognized("a.goal", "") == "goal");
  CHECK(recognized("schedule", "\n num_ranks 2\n") == "goal");
  CHECK(recognized("commented", "// A GOAL schedule\n/* of\n// two */ // ranks\n\n num_ranks 2\n") == "goal");
  CHECK(recognized("only a comment", "// num_ranks 2") == "ti");
  CHECK(recognized("no comment's end", "/* num_ranks 2\n") == "ti");
  CHECK(recognized("ti.txt", "0 init\n") == "ti");
  CHECK(recognized("empty", "") == "ti");
}

TEST_CASE("an error names every format that is read") {
  CHECK(formats::what_is_read() ==
        "Give the anchor file of an OTF2 archive (Score-P, EZTrace), a GOAL schedule, as text or binary, or "
        "SimGrid's time-independent trace");
}

}  // namespace
}  // namespace finegrain
