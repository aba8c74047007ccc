// SPDX-License-Identifier: MIT
//
// A study's database, as it is and with the digests that it should have: exported, summed up, and gone on
// with.
#include <cstdint>

#include "sim/study/export.hpp"
#include "sim/study/fastest.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/sim/study/small_database.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::study;

void use(const std::filesystem::path& path) {
  fuzz::read_or_refuse([&] { export_table(Database(path)); });
  fuzz::read_or_refuse([&] { fastest_points(Database(path), 10); });
  fuzz::read_or_refuse([&] {
    Database database(path, test::identity(), test::rows_of(4));
    for (const PointState& state : database.states())
      database.store_simulation(state.point, {.total_s = 1, .phases_s = {}, .none_because = ""}, "fuzz");
    database.forget_failures();
    export_table(database);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto put = [&] {
    for (const char* ending : {"-journal", "-wal", "-shm"})
      std::filesystem::remove(fuzz::folder() / (std::string("s.sqlite") + ending));
    return fuzz::write_input("s.sqlite", fuzz::as_text({bytes, size}));
  };
  use(put());
  try {
    test::correct_digests(put());
  } catch (const SQLite::Exception&) {
    return 0;
  }
  use(fuzz::folder() / "s.sqlite");
  return 0;
}
