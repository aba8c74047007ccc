// SPDX-License-Identifier: MIT
#include "traces/scaling/scaled_trace.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/traces/formats/program.hpp"
#include "tests/traces/recording.hpp"
#include "traces/call_recorder.hpp"
#include "traces/io/input_error.hpp"
#include "traces/rank_file.hpp"
#include "traces/scaling/process_grid.hpp"

using namespace finegrain;
using formats::RankCalls;

namespace {

/// What a rank does, on so many.
using Code = std::function<void(RankCalls&, int rank, int ranks)>;

/// Sends to one rank, and receives from another one.
void shift(RankCalls& calls, int to, int from, std::int64_t size_bytes, const char* place = "a.c:1") {
  calls.begin(RegionName(std::string("MPI_Sendrecv ") + place), 0);
  const std::int64_t received =
      calls.add(Post{.kind = TransferKind::receive, .peer = from, .size_bytes = size_bytes});
  const std::int64_t sent = calls.add(Post{.kind = TransferKind::send, .peer = to, .size_bytes = size_bytes});
  calls.complete({received, sent});
}

void exchange(RankCalls& calls, int peer, std::int64_t size_bytes, const char* place = "a.c:1") {
  shift(calls, peer, peer, size_bytes, place);
}

std::filesystem::path written(const test::TraceFolder& folder, const Code& code, int ranks) {
  std::vector<RankCalls> all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    all[static_cast<std::size_t>(rank)].begin(RegionName("MPI_Init"), 0);
    code(all[static_cast<std::size_t>(rank)], rank, ranks);
  }
  const std::filesystem::path path = folder.path() / std::to_string(ranks);
  test::write_program(path, all);
  return path;
}

/// "equal" if the program of `target` ranks is what follows from those of `recorded`, else why not.
std::string predicted(const Code& code, const std::vector<int>& recorded, int target) {
  const test::TraceFolder folder;
  std::vector<std::unique_ptr<Trace>> traces;
  std::vector<const Trace*> recordings;
  for (const int ranks : recorded) {
    traces.push_back(std::make_unique<Trace>(written(folder, code, ranks)));
    recordings.push_back(traces.back().get());
  }
  try {
    scaling::scale_trace(recordings, target, folder.path() / "predicted");
  } catch (const InputError& error) {
    return error.what();
  }
  return test::difference(folder.path() / "predicted", written(folder, code, target));
}

/// With every neighbour of a grid that is not closed: ranks at its border have fewer.
void open_halo(RankCalls& calls, int rank, int ranks, int dimensions) {
  const scaling::ProcessGrid grid(ranks, {dimensions});
  const std::vector<int> place = grid.place_of(rank);
  for (std::size_t d = 0; d < place.size(); ++d) {
    std::vector<int> step(place.size(), 0);
    for (const int to : {-1, 1}) {
      step[d] = to;
      if (place[d] + to >= 0 && place[d] + to < grid.sides()[d])
        exchange(calls, grid.neighbour(rank, step), 57600 / grid.sides()[1 - d % 2]);
    }
  }
}

void open_halo_in_2(RankCalls& calls, int rank, int ranks) {
  open_halo(calls, rank, ranks, 2);
}

/// With the next one and the one after it, on both sides of a line.
void two_neighbours(RankCalls& calls, int rank, int ranks) {
  for (const int step : {-2, -1, 1, 2})
    if (rank + step >= 0 && rank + step < ranks) exchange(calls, rank + step, 100);
}

}  // namespace

TEST_CASE("an open halo on 4 x 4 and 6 x 6 ranks is the one on 8 x 8: border ranks have fewer neighbours") {
  CHECK(predicted(open_halo_in_2, {16, 36}, 64) == "equal");
}

TEST_CASE("an open halo whose rows are as long in both recordings is that of longer rows, too") {
  CHECK(predicted(open_halo_in_2, {16, 32}, 64) == "equal");
}

TEST_CASE("an open halo that no recording has an inner rank of is refused") {
  CHECK(predicted(open_halo_in_2, {4, 8}, 64).find(" 64 ranks") != std::string::npos);
}

TEST_CASE("a side of the grid that is the same on any number of ranks is found") {
  const auto halo = [](int side, bool is_last) {
    return [=](RankCalls& calls, int rank, int ranks) {
      const int width = is_last ? side : ranks / side;
      const int rows = ranks / width;
      const int row = rank / width;
      const int column = rank % width;
      const auto at = [&](int other_row, int other_column) {
        return (other_row + rows) % rows * width + (other_column + width) % width;
      };
      shift(calls, at(row + 1, column), at(row - 1, column), 57600 / width, "a.c:1");
      shift(calls, at(row, column + 1), at(row, column - 1), 57600 / rows, "a.c:2");
    };
  };
  CHECK(predicted(halo(3, true), {6, 12, 24}, 96) == "equal");
  CHECK(predicted(halo(3, false), {6, 12, 24}, 96) == "equal");
  // With 2 ranks in the last dimension, it could be the third of a usual grid: 2 x 2 x 2, 4 x 2 x 2, 4 x 4
  // x 2.
  CHECK(predicted(halo(2, true), {8, 16, 32}, 128).find("Record on one more number of ranks") !=
        std::string::npos);
}

TEST_CASE(
    "neighbour collectives: in a closed grid each rank has as many, in an open one fewer at its border") {
  const auto exchange_with_neighbours = [](RankCalls& calls, const std::vector<std::pair<int, int>>& list) {
    std::vector<std::int64_t> table(2, std::ssize(list));
    std::int64_t sent = 0;
    for (const int side : {0, 1})
      for (const auto& [rank, bytes] : list) {
        table.insert(table.end(), {rank, bytes});
        if (side == 0) sent += bytes;
      }
    calls.begin(RegionName("MPI_Neighbor_alltoallv a.c:7"), 0);
    calls.add(Collective{.kind = CollectiveKind::neighbor_alltoallv, .size_bytes = sent}, table);
  };
  const auto halo = [&](bool is_closed) {
    return [=](RankCalls& calls, int rank, int ranks) {
      const scaling::ProcessGrid grid(ranks, {2});
      const std::vector<int> place = grid.place_of(rank);
      std::vector<std::pair<int, int>> list;
      for (const std::size_t d : {0U, 1U})
        for (const int step : {-1, 1}) {
          std::vector<int> steps(2);
          steps[d] = step;
          const int along = place[d] + step;
          if (is_closed || (along >= 0 && along < grid.sides()[d]))
            list.emplace_back(grid.neighbour(rank, steps), 9600 / grid.sides()[1 - d]);
        }
      exchange_with_neighbours(calls, list);
    };
  };
  CHECK(predicted(halo(true), {4, 8, 16}, 64) == "equal");
  CHECK(predicted(halo(false), {9, 16, 36}, 144) == "equal");
  // To ranks here and there: neither is so.
  const Code odd = [&](RankCalls& calls, int rank, int ranks) {
    std::vector<std::pair<int, int>> list;
    for (int n = 0; n < 1 + rank * rank % 5; ++n)
      list.emplace_back((rank * 7 + n * n) % ranks, 8);
    exchange_with_neighbours(calls, list);
  };
  CHECK(predicted(odd, {4, 8, 16}, 32).find("neighbours") != std::string::npos);
}

TEST_CASE("two neighbours on each side of a line: the two ranks next to each end do something else") {
  CHECK(predicted(two_neighbours, {16, 64}, 32) == "equal");
}

TEST_CASE("an exchange with the rank half of all away, which on two numbers of ranks may be a neighbour") {
  const Code code = [](RankCalls& calls, int rank, int ranks) {
    exchange(calls, rank ^ (ranks / 2), 51200 / ranks);
  };
  CHECK(predicted(code, {8, 16}, 64).find("Record on one more number of ranks") != std::string::npos);
  CHECK(predicted(code, {4, 8, 16}, 64) == "equal");
}

TEST_CASE("one call less than there are ranks") {
  const Code ring = [](RankCalls& calls, int rank, int ranks) {
    for (int step = 1; step < ranks; ++step)
      shift(calls, (rank + 1) % ranks, (rank + ranks - 1) % ranks, 8);
  };
  CHECK(predicted(ring, {4, 8}, 16) == "equal");
  CHECK(predicted(ring, {4, 8, 16}, 64) == "equal");
}

TEST_CASE("three calls more than there are ranks, on two numbers of ranks: a third one has to be recorded") {
  const Code ring = [](RankCalls& calls, int rank, int ranks) {
    for (int step = 0; step < ranks + 3; ++step)
      shift(calls, (rank + 1) % ranks, (rank + ranks - 1) % ranks, 8);
  };
  CHECK(predicted(ring, {8, 16}, 32).find("Record on one more number of ranks") != std::string::npos);
  CHECK(predicted(ring, {4, 8, 16}, 64) == "equal");
}

TEST_CASE("levels of a multigrid: each step goes twice as far, in every iteration") {
  const Code levels = [](RankCalls& calls, int rank, int ranks) {
    for (int iteration = 0; iteration < 3; ++iteration) {
      for (int far = 1, size = 4096; far < ranks; far *= 2, size /= 2)
        shift(calls, (rank + far) % ranks, (rank + ranks - far) % ranks, size);
      calls.begin(RegionName("MPI_Allreduce"), 0);
      calls.add(Collective{.kind = CollectiveKind::allreduce, .size_bytes = 8});
    }
  };
  CHECK(predicted(levels, {4, 8, 16}, 64) == "equal");
}

TEST_CASE("a loop in the steps of a loop, and steps from the last to the first") {
  const Code levels = [](RankCalls& calls, int rank, int ranks) {
    for (int far = 1; far < ranks; far *= 2)
      for (int smoothing = 0; smoothing < 3; ++smoothing)
        exchange(calls, rank ^ far, 1024 / far);
    calls.begin(RegionName("MPI_Barrier"), 0);
    calls.add(Collective{.kind = CollectiveKind::barrier});
    for (int far = ranks / 2; far >= 1; far /= 2)
      shift(calls, (rank + far) % ranks, (rank + ranks - far) % ranks, 1024 / far, "a.c:2");
  };
  CHECK(predicted(levels, {4, 8, 16}, 64) == "equal");
}

TEST_CASE("down the levels and up again, to both sides on each") {
  const Code levels = [](RankCalls& calls, int rank, int ranks) {
    const auto both_sides = [&](int far, int size, const char* on, const char* back) {
      shift(calls, (rank + far) % ranks, (rank + ranks - far) % ranks, size, on);
      shift(calls, (rank + ranks - far) % ranks, (rank + far) % ranks, size, back);
    };
    for (int iteration = 0; iteration < 3; ++iteration) {
      for (int far = 1; far < ranks; far *= 2)
        both_sides(far, 1024 / far, "a.c:1", "a.c:2");
      for (int far = ranks / 2; far >= 1; far /= 2)
        both_sides(far, 2048 / far, "a.c:3", "a.c:4");
      calls.begin(RegionName("MPI_Barrier"), 0);
      calls.add(Collective{.kind = CollectiveKind::barrier});
    }
  };
  CHECK(predicted(levels, {8, 16, 32}, 64) == "equal");
}

TEST_CASE("with all others in the own row of a grid, and of the column") {
  const Code transpose = [](RankCalls& calls, int rank, int ranks) {
    const scaling::ProcessGrid grid(ranks, {2});
    const std::vector<int> place = grid.place_of(rank);
    for (int column = 0; column < grid.sides()[1]; ++column)
      if (column != place[1]) exchange(calls, rank + column - place[1], 57600 / grid.sides()[1]);
    calls.begin(RegionName("MPI_Barrier"), 0);
    calls.add(Collective{.kind = CollectiveKind::barrier});
    for (int step = 1; step < grid.sides()[0]; ++step)
      shift(calls, grid.neighbour(rank, {1, 0}, step), grid.neighbour(rank, {1, 0}, -step), 460800 / ranks,
            "a.c:2");
  };
  CHECK(predicted(transpose, {9, 16, 36}, 64) == "equal");
  CHECK(predicted(transpose, {4, 9, 16}, 36) == "equal");
}

TEST_CASE("the first rank asks all others, and waits for all their answers") {
  const Code fan_in = [](RankCalls& calls, int rank, int ranks) {
    if (rank > 0) return exchange(calls, 0, 64);
    std::vector<std::int64_t> requests;
    for (const TransferKind kind : {TransferKind::receive, TransferKind::send}) {
      for (int other = 1; other < ranks; ++other) {
        calls.begin(RegionName(kind == TransferKind::send ? "MPI_Isend" : "MPI_Irecv"), 0);
        requests.push_back(calls.add(Post{.kind = kind, .peer = other, .size_bytes = 64}));
      }
    }
    calls.begin(RegionName("MPI_Waitall"), 0);
    calls.complete(requests);
  };
  CHECK(predicted(fan_in, {4, 8, 16}, 64) == "equal");
}

TEST_CASE("corners of an open grid send to other sides, and one line of the source names all neighbours") {
  const Code spectral = [](RankCalls& calls, int rank, int ranks) {
    const scaling::ProcessGrid grid(ranks, {2});
    const std::vector<int> place = grid.place_of(rank);
    for (const int down : {-1, 0, 1})
      for (const int right : {-1, 0, 1}) {
        const std::vector<int> to{place[0] + down, place[1] + right};
        if ((down == 0 && right == 0) || to[0] < 0 || to[0] >= grid.sides()[0] || to[1] < 0 ||
            to[1] >= grid.sides()[1])
          continue;
        exchange(calls, grid.rank_at(to),
                 down == 0    ? 57600 / grid.sides()[0]
                 : right == 0 ? 57600 / grid.sides()[1]
                              : 8);
      }
  };
  CHECK(predicted(spectral, {4, 8, 16}, 32) == "equal");
}

TEST_CASE("a gather up a binomial tree: who sends, and how much, follows from the bits of the rank") {
  const Code tree = [](RankCalls& calls, int rank, int ranks) {
    for (int iteration = 0; iteration < 2; ++iteration) {
      int bit = 1;
      for (; bit < ranks && (rank & bit) == 0; bit *= 2) {
        calls.begin(RegionName("MPI_Recv a.c:1"), 0);
        calls.add(Post{
            .kind = TransferKind::receive, .blocking = true, .peer = rank + bit, .size_bytes = 64 * bit});
      }
      if (rank == 0) continue;
      calls.begin(RegionName("MPI_Send a.c:2"), 0);
      calls.add(
          Post{.kind = TransferKind::send, .blocking = true, .peer = rank - bit, .size_bytes = 64 * bit});
    }
  };
  CHECK(predicted(tree, {4, 8, 16}, 64) == "equal");
}

TEST_CASE("a sort by odd and even phases: whether a rank calls depends on its number and the step") {
  const Code sort = [](RankCalls& calls, int rank, int ranks) {
    for (int phase = 0; phase < ranks; ++phase) {
      const int partner = (rank + phase) % 2 == 0 ? rank + 1 : rank - 1;
      if (partner >= 0 && partner < ranks) exchange(calls, partner, 38400 / ranks);
    }
  };
  CHECK(predicted(sort, {4, 8, 16}, 64) == "equal");
}

TEST_CASE(
    "rows and columns of a grid have communicators of their own, and a copy of all ranks' is no other") {
  const Code rows = [](RankCalls& calls, int rank, int ranks) {
    calls.begin(RegionName("MPI_Allreduce a.c:1"), 0);
    // The members are those of Rows below: the communicator of the row, then that of all ranks again.
    calls.add(Collective{.kind = CollectiveKind::allreduce,
                         .communicator = 1 + rank / scaling::ProcessGrid(ranks, {2}).sides()[1],
                         .size_bytes = 8});
    calls.begin(RegionName("MPI_Barrier a.c:2"), 0);
    calls.add(Collective{.kind = CollectiveKind::barrier,
                         .communicator = 1 + scaling::ProcessGrid(ranks, {2}).sides()[0]});
  };
  const test::TraceFolder folder;
  const auto recorded = [&](int ranks) {
    const scaling::ProcessGrid grid(ranks, {2});
    std::vector<formats::Communicator> communicators(static_cast<std::size_t>(grid.sides()[0]) + 1);
    for (int rank = 0; rank < ranks; ++rank) {
      communicators[static_cast<std::size_t>(rank / grid.sides()[1])].ranks.push_back(rank);
      communicators.back().ranks.push_back(rank);
    }
    formats::ImportedTrace trace(folder.path() / std::to_string(ranks), ranks, communicators);
    for (int rank = 0; rank < ranks; ++rank) {
      RankCalls calls;
      rows(calls, rank, ranks);
      trace.write(rank, calls);
    }
    trace.finish({"rows", {}});
    return Trace(folder.path() / std::to_string(ranks));
  };
  const Trace on_4 = recorded(4);
  const Trace on_8 = recorded(8);
  const Trace on_16 = recorded(16);
  scaling::scale_trace({&on_4, &on_8, &on_16}, 32, folder.path() / "predicted");
  const Trace predicted(folder.path() / "predicted");
  for (const int rank : {0, 13, 31}) {
    const test::RankRecording calls = test::read_all(predicted, rank);
    const auto& in_row = std::get<Collective>(calls.at(0).body.operations.back());
    const auto& of_all = std::get<Collective>(calls.at(1).body.operations.back());
    CHECK(of_all.communicator == 0);
    const std::span<const std::int32_t> row = predicted.communicator(in_row.communicator);
    // 8 x 4 ranks.
    CHECK(std::vector<std::int32_t>(row.begin(), row.end()) ==
          std::vector<std::int32_t>{rank / 4 * 4, rank / 4 * 4 + 1, rank / 4 * 4 + 2, rank / 4 * 4 + 3});
  }
}

TEST_CASE("what is left over goes to the first ranks, and sizes that are rounded are known within limits") {
  const Code blocks = [](RankCalls& calls, int rank, int ranks) {
    const int own = 8 * (1000 / ranks + (rank < 1000 % ranks ? 1 : 0));
    if (rank > 0) {
      calls.begin(RegionName("MPI_Send a.c:1"), 0);
      calls.add(Post{.kind = TransferKind::send, .blocking = true, .peer = 0, .size_bytes = own});
      return;
    }
    for (int other = 1; other < ranks; ++other) {
      calls.begin(RegionName("MPI_Recv a.c:2"), 0);
      calls.add(Post{.kind = TransferKind::receive,
                     .blocking = true,
                     .peer = other,
                     .size_bytes = 8 * (1000 / ranks + 1)});
    }
  };
  CHECK(predicted(blocks, {6, 12, 24}, 48) == "equal");
}

TEST_CASE("half an element is no size: 1,000 numbers in equal parts, on 16 ranks") {
  const Code code = [](RankCalls& calls, int rank, int ranks) {
    shift(calls, (rank + 1) % ranks, (rank + ranks - 1) % ranks, 8 * 1000 / ranks);
  };
  CHECK(predicted(code, {4, 8}, 16).find("its size gives no whole number") != std::string::npos);
}

TEST_CASE("recordings of two programs are refused, and their commands are named") {
  const test::TraceFolder folder;
  const auto write = [&](const char* command, const char* function, int ranks) {
    formats::ImportedTrace trace(folder.path() / command, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      RankCalls calls;
      calls.begin(RegionName(function), 0);
      calls.add(Collective{});
      trace.write(rank, calls);
    }
    trace.finish({command, {}});
    return Trace(folder.path() / command);
  };
  const Trace one = write("one", "MPI_Barrier", 4);
  const Trace other = write("other", "MPI_Allreduce", 8);
  CHECK_THROWS_WITH(scaling::scale_trace({&one, &other}, 16, folder.path() / "predicted"),
                    Catch::Contains("for 16 ranks") &&
                        Catch::Contains("; the recorded commands differ: 'one' and 'other'"));
}

TEST_CASE("steps whose numbers have no rule are refused, and nothing is written") {
  const Code odd = [](RankCalls& calls, int rank, int ranks) {
    for (int step = 1; step < ranks; ++step)
      shift(calls, (rank + step * step) % ranks, (rank + ranks * step - step * step) % ranks, 8);
  };
  CHECK(predicted(odd, {4, 8, 16}, 32).find("no rule for 32 ranks") != std::string::npos);
}

TEST_CASE("a program that changes its ways beyond the recorded ranks is predicted wrongly") {
  const Code code = [](RankCalls& calls, int rank, int ranks) {
    exchange(calls, rank ^ 1, ranks > 16 ? 100 : 200);
  };
  CHECK(predicted(code, {8, 16}, 32) != "equal");
}

TEST_CASE("the time that ranks waited for a core is no work, which is extrapolated") {
  const test::TraceFolder folder;
  std::vector<std::unique_ptr<Trace>> traces;
  std::vector<const Trace*> recordings;
  for (const int ranks : {2, 4}) {
    const std::filesystem::path path = folder.path() / std::to_string(ranks);
    test::write_program(path, std::vector<RankCalls>(static_cast<std::size_t>(ranks)));
    for (int rank = 0; rank < ranks; ++rank) {
      std::filesystem::remove(path / rank_file_name(rank));
      CallRecorder recorder(path, rank);
      CallSignature signature;
      signature.begin(recorder.define_function("MPI_Init"));
      recorder.call(signature, 0, 0);
      // 1,000 ns between the calls, of which 900 without a core.
      recorder.waited_for_core(900);
      signature.begin(recorder.define_function("MPI_Barrier"));
      signature.collective(Collective{}, {});
      recorder.call(signature, 1000, 1000);
      REQUIRE(recorder.finish());
    }
    traces.push_back(std::make_unique<Trace>(path));
    recordings.push_back(traces.back().get());
  }
  scaling::scale_trace(recordings, 8, folder.path() / "scaled");
  const Trace scaled(folder.path() / "scaled");
  for (int rank = 0; rank < 8; ++rank)
    CHECK(test::read_all(scaled, rank).at(1).regions.front().length_ns() == 1000 - 900);
}

TEST_CASE("each step of a loop keeps its own time of work, such as a long first one") {
  const test::TraceFolder folder;
  constexpr int steps = 20;
  const auto work_ns = [](int step) { return step == 0 ? 5000 : 100 + step; };
  const Code loop = [&](RankCalls& calls, int, int) {
    std::int64_t now_ns = 0;
    for (int step = 0; step < steps; ++step) {
      now_ns += work_ns(step);
      calls.begin(RegionName("MPI_Allreduce a.c:1"), now_ns);
      calls.add(Collective{.kind = CollectiveKind::allreduce, .size_bytes = 8});
    }
  };
  const Trace on_2(written(folder, loop, 2));
  const Trace on_4(written(folder, loop, 4));
  scaling::scale_trace({&on_2, &on_4}, 8, folder.path() / "scaled");
  const Trace scaled(folder.path() / "scaled");
  for (int rank = 0; rank < 8; ++rank) {
    const std::vector<RecordedIteration> calls = test::read_all(scaled, rank);
    REQUIRE(calls.size() == steps + 1);  // and MPI_Init
    for (int step = 0; step < steps; ++step)
      CHECK(std::abs(calls[static_cast<std::size_t>(step) + 1].regions.front().length_ns() - work_ns(step)) <=
            1);
  }
}

TEST_CASE("halves of rows of 2, 4 and 4 ranks, with tags 1, then 2 and 1: in rows of 8 they are 3, 2 and 1") {
  const Code sums = [](RankCalls& calls, int rank, int ranks) {
    const int columns = scaling::ProcessGrid(ranks, {2, true}).sides()[1];
    int tag = 0;
    for (int far = 1; far < columns; far *= 2)
      ++tag;
    for (int far = columns / 2; far >= 1; far /= 2, --tag) {
      calls.begin(RegionName("MPI_Sendrecv a.c:1"), 0);
      const auto part = [&](TransferKind kind) {
        return calls.add(Post{.kind = kind, .peer = rank ^ far, .tag = tag, .size_bytes = 6400 / columns});
      };
      const std::int64_t received = part(TransferKind::receive);
      calls.complete({received, part(TransferKind::send)});
    }
    // The transposed rank tells that the ranks are rows.
    const int rows = ranks / columns;
    const int more = columns / rows;
    const int column = rank % columns;
    exchange(calls, column / more * columns + more * (rank / columns) + column % more, 64, "a.c:2");
  };
  CHECK(predicted(sums, {4, 8, 16}, 32) == "equal");
}
