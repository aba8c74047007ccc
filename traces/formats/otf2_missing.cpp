// SPDX-License-Identifier: MIT
// Where the library of OTF2 was missing when finegrain was built.
#include "traces/formats/format.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::formats {

Import import_otf2(const std::filesystem::path& anchor, const std::filesystem::path& /*folder*/,
                   const ImportOptions& /*options*/) {
  throw InputError(anchor.string(), "cannot be read (finegrain was built without the library of OTF2)",
                   "Install libopen-trace-format2-dev and build it again");
}

Export export_otf2(const Trace& /*trace*/, const std::filesystem::path& folder,
                   const ExportOptions& /*options*/) {
  throw InputError(folder.string(), "cannot be written (finegrain was built without the library of OTF2)",
                   "Install libopen-trace-format2-dev and build it again");
}

}  // namespace finegrain::formats
