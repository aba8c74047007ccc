// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "../../traces/transfer.hpp"
#include "patterns.hpp"
#include "schedules.hpp"
#include "sim/pattern/accesses_file.hpp"
#include "sim/pattern/foreign_accesses.hpp"
#include "sim/pattern/layout.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;
using Messages = std::vector<Post>;
using enum TransferKind;

namespace {

class AccessesFile {
 public:
  explicit AccessesFile(const std::string& text) : path_(folder_ / "a.csv") { std::ofstream(path_) << text; }
  const std::filesystem::path& path() const { return path_; }

  std::shared_ptr<const Pattern> open() const {
    return pattern_kind("accesses").open(path_.string(), "--accesses");
  }
  Schedule schedule(const Variant& variant, std::optional<std::int64_t> block_bytes = {}) const {
    const auto pattern = open();
    const int ranks = pattern->ranks({}).value();
    Settings settings;
    if (block_bytes) settings["block-bytes"] = *block_bytes;
    return make_schedule(*pattern, {.problem = pattern->problem(ranks, settings),
                                    .policy = variant.policy,
                                    .transfer = variant.transfer,
                                    .completion = variant.completion,
                                    .ranks = ranks});
  }
  std::string error() const {
    try {
      read_accesses(path_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

 private:
  test::TemporaryFolder folder_;
  std::filesystem::path path_;
};

std::string error_of(const std::string& text) {
  const AccessesFile file(text);
  const std::string error = file.error();
  const std::string name = file.path().string() + ":";
  return error.starts_with(name) ? error.substr(name.size()) : error;
}

int count_regions(const Body& body, RegionName name) {
  return static_cast<int>(std::ranges::count(body.regions, name, &Region::name));
}

const Variant individual{"individual", Transfer::get, Completion::each};
const Variant block{"block", Transfer::get, Completion::each};
const Variant sends{"condensed", Transfer::two_sided, Completion::together};
const Variant putting{"condensed", Transfer::put, Completion::each};

/// Rank 0 reads 8 bytes of rank 1 twice, which overlap by 4, then writes 16 to rank 2; after a point, rank 1
/// reads 8 bytes of rank 0.
constexpr const char* small_file =
    "rank,owner,address,bytes,access,point\n"
    "0,1,4096,8,read,0\n"
    "0,1,4100,8,read,0   # half of it again\n"
    "\n"
    "0 2 16 16 write 0\n"
    "0,0,0,1000,read,0\n"
    "1,0,0,8,read,1\n";

}  // namespace

TEST_CASE("accesses: every column is read, and the whole file is summed up") {
  const AccessesFile file(small_file);
  std::vector<AddressedAccess> lines;
  const AccessesSummary summary =
      read_accesses(file.path(), [&](const AddressedAccess& line) { lines.push_back(line); });
  CHECK(summary.ranks == 3);
  CHECK(summary.points == 2);
  CHECK(summary.lines == 5);
  CHECK(summary.writes);
  REQUIRE(lines.size() == 5);
  CHECK(lines[2].rank == 0);
  CHECK(lines[2].owner == 2);
  CHECK(lines[2].address == 16);
  CHECK(lines[2].size_bytes == 16);
  CHECK(lines[2].writes);
  CHECK(lines[4].point == 1);
}

TEST_CASE("accesses: what is wrong is named with its line") {
  CHECK_THAT(error_of("0,1,0,8,read\n"), Catch::StartsWith("1: "));
  CHECK_THAT(error_of("0,1,0,8,read,0\n0,1,0,x,read,0\n"), Catch::StartsWith("2: "));
  CHECK_THAT(error_of("0,1,0,8,load,0\n"), Catch::StartsWith("1: the access is neither read nor write"));
  CHECK_THAT(error_of("-1,1,0,8,read,0\n"), Catch::StartsWith("1: the rank is -1 (0 to 999999 is possible)"));
  CHECK_THAT(error_of("0,1000000,0,8,read,0\n"), Catch::StartsWith("1: the owner is 1000000"));
  CHECK_THAT(error_of("0,1,-8,8,read,0\n"), Catch::StartsWith("1: the address is -8"));
  CHECK_THAT(error_of("0,1,0,0,read,0\n"), Catch::StartsWith("1: the size in bytes is 0"));
  CHECK_THAT(error_of("0,1,0,8,read,0,7\n"), Catch::StartsWith("1: there is more than rank"));
  CHECK_THAT(error_of("999999,0,0,8,read,4\n"), Catch::StartsWith("1: 1000000 ranks and 5 sequence points"));
  CHECK_THAT(error_of("# nothing\n"), Catch::Contains("the file has no access"));
  CHECK_THAT(error_of("0,1,0,8,read,2\n1,0,0,8,read,0\n0,1,0,8,read,1\n"),
             Catch::StartsWith("3: rank 0 goes back from sequence point 2 to 1"));
}

TEST_CASE("accesses: individual makes a load or store of each, and a barrier of each point") {
  const Schedule schedule = AccessesFile(small_file).schedule(individual);
  CHECK(messages_of(schedule.ranks[0]) == Messages{transfer(load, 1, 8, 2), transfer(store, 2, 16)});
  CHECK(messages_of(schedule.ranks[1]) == Messages{transfer(load, 0, 8)});
  CHECK(messages_of(schedule.ranks[2]).empty());
  for (const Body& body : schedule.ranks)
    CHECK(count_regions(body, regions::barrier) == 2);
}

TEST_CASE("accesses: block moves what is touched, and puts back what is written") {
  const Schedule schedule = AccessesFile(small_file).schedule(block, 64);
  // 4096 to 4107 lie in one block of 64 bytes, 16 to 31 in another.
  CHECK(messages_of(schedule.ranks[0]) ==
        Messages{transfer(get, 1, 64), transfer(get, 2, 64), transfer(put, 2, 64)});
  const Schedule small_blocks = AccessesFile(small_file).schedule(block, 8);
  CHECK(messages_of(small_blocks.ranks[0]) == Messages{transfer(get, 1, 8), transfer(get, 1, 8),
                                                       transfer(get, 2, 8), transfer(get, 2, 8),
                                                       transfer(put, 2, 8), transfer(put, 2, 8)});
}

TEST_CASE("accesses: condensed sends each byte that is read once, and then those that were written") {
  const Schedule schedule = AccessesFile(small_file).schedule(sends);
  CHECK(messages_of(schedule.ranks[0]) ==
        Messages{transfer(receive, 1, 12), transfer(send, 2, 16), transfer(send, 1, 8)});
  CHECK(messages_of(schedule.ranks[1]) == Messages{transfer(send, 0, 12), transfer(receive, 0, 8)});
  CHECK(messages_of(schedule.ranks[2]) == Messages{transfer(receive, 0, 16)});
  const Schedule one_sided = AccessesFile(small_file).schedule(putting);
  CHECK(messages_of(one_sided.ranks[0]) == Messages{transfer(put, 2, 16), transfer(put, 1, 8)});
  CHECK(messages_of(one_sided.ranks[1]) == Messages{transfer(put, 0, 12)});
}

TEST_CASE("accesses: a matrix's accesses written as a file make the messages and the counts of the matrix") {
  const test::MatrixPattern matrix = test::banded_pattern(300, 5, 60, 3);
  const int ranks = 6;
  Run run{.problem = SpmvProblem{"", "", matrix.rows, matrix.r_nz, 10},
          .policy = "",
          .ranks = ranks,
          .ranks_per_node = 2};
  std::ostringstream text;
  for (int rank = 0; rank < ranks; ++rank) {
    for_each_foreign_access(
        matrix.view(), layout_of(run).distribution, rank, [&](const ForeignAccess& access) {
          text << rank << ',' << access.owner << ',' << 8 * access.element << ",8,read,0\n";
        });
  }
  const AccessesFile file(text.str());
  for (const Variant& variant : {individual, sends, putting}) {
    run.policy = variant.policy;
    run.transfer = variant.transfer;
    run.completion = variant.completion;
    const Schedule of_matrix = spmv_schedule(matrix.view(), run);
    const Schedule of_file = file.schedule(variant);
    for (std::size_t rank = 0; rank < of_matrix.ranks.size(); ++rank) {
      INFO(variant.policy << ", rank " << rank);
      CHECK(messages_of(of_file.ranks[rank]) == messages_of(of_matrix.ranks[rank]));
    }
  }
  const Placement placement = layout_of(run).placement;
  const auto counts_of_matrix = spmv_of(matrix.view())->counts({&run, 1}, {&placement, 1}, 1).front();
  const auto pattern = file.open();
  Run of_file = run;
  of_file.problem = pattern->problem(ranks, {{"block-bytes", 80}});
  const auto counts = pattern->counts({&of_file, 1}, {&placement, 1}, 1).front();
  REQUIRE(counts.size() == counts_of_matrix.size());
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    CHECK(counts[rank].accesses_remote == counts_of_matrix[rank].accesses_remote);
    CHECK(counts[rank].values_out_local == counts_of_matrix[rank].values_out_local);
    CHECK(counts[rank].values_in_remote == counts_of_matrix[rank].values_in_remote);
    CHECK(counts[rank].messages_out_remote == counts_of_matrix[rank].messages_out_remote);
    CHECK(counts[rank].blocks_remote == counts_of_matrix[rank].blocks_remote);
  }
}

TEST_CASE("accesses: another number of ranks than the file's is refused") {
  CHECK_THROWS_AS(AccessesFile(small_file).open()->problem(4, {}), InputError);
}
