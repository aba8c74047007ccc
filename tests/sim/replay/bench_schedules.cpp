// SPDX-License-Identifier: MIT
#include "bench_schedules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace finegrain::test {
namespace {

/// Writes the ranks of a schedule one after the other.
class GoalText {
 public:
  GoalText(std::FILE* file, int ranks) : file_(file) { fmt::print(file_, "num_ranks {}\n", ranks); }

  void begin_rank(int rank) {
    fmt::print(file_, "rank {} {{\n", rank);
    labels_ = 0;
  }
  void end_rank() { fmt::print(file_, "}}\n"); }

  /// @param after  labels of what has to end before. @returns its own label
  int send(int bytes, int to, int tag, const std::vector<int>& after) {
    return add(fmt::format("send {}b to {} tag {}", bytes, to, tag), after);
  }
  int receive(int bytes, int from, int tag, const std::vector<int>& after) {
    return add(fmt::format("recv {}b from {} tag {}", bytes, from, tag), after);
  }
  int calculate(int ns, const std::vector<int>& after) { return add(fmt::format("calc {}", ns), after); }

 private:
  int add(const std::string& what, const std::vector<int>& after) {
    const int label = ++labels_;
    fmt::print(file_, "l{}: {}\n", label, what);
    for (const int before : after)
      fmt::print(file_, "l{} requires l{}\n", label, before);
    return label;
  }

  std::FILE* file_;
  int labels_ = 0;
};

void write_head(std::FILE* file) {
  fmt::print(file,
             "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "<platform version=\"4.1\">\n");
}

void write_tail(std::FILE* file) {
  fmt::print(file,
             "    <prop id=\"memory_bandwidth\" value=\"100GBps\"/>\n"
             "    <prop id=\"memory_bandwidth_per_core\" value=\"12GBps\"/>\n"
             "  </cluster>\n</platform>\n");
}

}  // namespace

void write_dissemination(std::FILE* file, int ranks) {
  GoalText text(file, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    text.begin_rank(rank);
    std::vector<int> before;
    for (int distance = 1; distance < ranks; distance *= 2) {
      const int send = text.send(4096, (rank + distance) % ranks, distance, before);
      const int receive = text.receive(4096, (rank - distance + ranks) % ranks, distance, before);
      before = {send, receive};
    }
    text.end_rank();
  }
}

void write_broadcast(std::FILE* file, int ranks) {
  GoalText text(file, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    text.begin_rank(rank);
    int distance = 1;
    while (distance < ranks && (rank & distance) == 0)
      distance *= 2;
    std::vector<int> before;
    if (rank > 0) before = {text.receive(4096, rank - distance, 1, {})};
    for (distance /= 2; distance > 0; distance /= 2)
      if (rank + distance < ranks) before = {text.send(4096, rank + distance, 1, before)};
    text.end_rank();
  }
}

void write_halo(std::FILE* file, int ranks, int steps) {
  int width = 1;
  while (width * width < ranks)
    width *= 2;
  const int height = ranks / width;
  GoalText text(file, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const int x = rank % width;
    const int y = rank / width;
    const int neighbours[] = {(x + 1) % width + y * width, (x + width - 1) % width + y * width,
                              x + (y + 1) % height * width, x + (y + height - 1) % height * width};
    text.begin_rank(rank);
    std::vector<int> before;
    for (int step = 0; step < steps; ++step) {
      const int work = text.calculate(10'000, before);
      before.clear();
      for (int side = 0; side < 4; ++side) {
        before.push_back(text.send(8192, neighbours[side], side, {work}));
        before.push_back(text.receive(8192, neighbours[side ^ 1], side, {work}));
      }
    }
    text.end_rank();
  }
}

void write_permutations(std::FILE* file, int ranks, int rounds) {
  const auto count = static_cast<std::size_t>(ranks);
  std::mt19937 random(7);
  std::vector<std::vector<int>> to(static_cast<std::size_t>(rounds), std::vector<int>(count));
  std::vector<std::vector<int>> from = to;
  for (std::size_t round = 0; round < to.size(); ++round) {
    std::iota(to[round].begin(), to[round].end(), 0);
    for (std::size_t last = count - 1; last > 0; --last)
      std::swap(to[round][last], to[round][random() % (last + 1)]);
    for (std::size_t rank = 0; rank < count; ++rank)
      from[round][static_cast<std::size_t>(to[round][rank])] = static_cast<int>(rank);
  }
  GoalText text(file, ranks);
  for (std::size_t rank = 0; rank < count; ++rank) {
    text.begin_rank(static_cast<int>(rank));
    std::vector<int> before;
    for (std::size_t round = 0; round < to.size(); ++round) {
      const int tag = static_cast<int>(round);
      const int send = text.send(8192, to[round][rank], tag, before);
      before = {send, text.receive(8192, from[round][rank], tag, before)};
    }
    text.end_rank();
  }
}

void write_alltoall(std::FILE* file, int ranks) {
  GoalText text(file, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    text.begin_rank(rank);
    for (int distance = 1; distance < ranks; ++distance)
      text.receive(1024, (rank - distance + ranks) % ranks, 0, {});
    for (int distance = 1; distance < ranks; ++distance)
      text.send(1024, (rank + distance) % ranks, 0, {});
    text.end_rank();
  }
}

void write_single_switch(std::FILE* file, int nodes) {
  write_head(file);
  fmt::print(
      file,
      "  <cluster id=\"single\" prefix=\"node-\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" bw=\"12.5GBps\" "
      "lat=\"1us\">\n",
      nodes - 1);
  write_tail(file);
}

void write_fat_tree(std::FILE* file, int nodes) {
  write_head(file);
  fmt::print(file,
             "  <cluster id=\"tree\" prefix=\"node-\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" "
             "topology=\"FAT_TREE\" topo_parameters=\"2;16,{};1,16;1,1\" bw=\"6.4GBps\" lat=\"300ns\" "
             "sharing_policy=\"SPLITDUPLEX\">\n",
             nodes - 1, nodes / 16);
  write_tail(file);
}

}  // namespace finegrain::test
