// SPDX-License-Identifier: MIT
// compare_with_counter TRACE FOLDER [TRACE FOLDER]: whether the messages of a trace, recorded without warm-up
// or check, are those that message_counter saw, for every rank, kind, peer and size. With a second trace and
// its counts, of fewer iterations of the same: whether those are that the first has more, which leaves out
// what a program transfers before its iterations.
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "traces/io/input_error.hpp"
#include "traces/trace_reader.hpp"

namespace {

using Key = std::tuple<std::string, int, long long>;
using Counts = std::map<Key, long long>;

Counts recorded(const finegrain::Trace& trace, int rank) {
  Counts counts;
  auto reader = trace.rank(rank);
  while (const auto iteration = reader.next()) {
    finegrain::for_each_post(iteration->body.operations, [&](const finegrain::Post& post) {
      if (post.peer == rank) return;                                  // its own block: no message of MPI's
      const bool loads = post.kind == finegrain::TransferKind::load;  // which is a get of MPI's
      const std::string_view kind = loads ? "get" : to_string(post.kind);
      counts[{std::string(kind), post.peer, post.size_bytes}] += post.repeat;
    });
  }
  return counts;
}

Counts seen(const std::string& folder, int rank) {
  std::ifstream file(folder + "/" + std::to_string(rank));
  if (!file) throw finegrain::InputError(folder, "no counts of rank " + std::to_string(rank));
  Counts counts;
  std::string kind;
  int peer = 0;
  long long bytes = 0;
  long long count = 0;
  while (file >> kind >> peer >> bytes >> count)
    counts[{kind, peer, bytes}] = count;
  return counts;
}

/// What the first has more.
Counts difference(Counts more, const Counts& less) {
  for (const auto& [key, count] : less)
    more[key] -= count;
  std::erase_if(more, [](const auto& entry) { return entry.second == 0; });
  return more;
}

void print(const char* title, const Counts& counts) {
  for (const auto& [key, count] : counts) {
    const auto& [kind, peer, bytes] = key;
    std::cerr << title << ": " << count << " x " << kind << ' ' << peer << ' ' << bytes << " B\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5) return 2;
  try {
    const finegrain::Trace trace(argv[1]);
    const std::optional<finegrain::Trace> other =
        argc == 5 ? std::optional<finegrain::Trace>(argv[3]) : std::nullopt;
    const int ranks = trace.manifest().run.ranks;
    long long messages = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Counts ours = difference(recorded(trace, rank), other ? recorded(*other, rank) : Counts());
      const Counts theirs = difference(seen(argv[2], rank), other ? seen(argv[4], rank) : Counts());
      if (ours != theirs) {
        print("recorded", ours);
        print("seen    ", theirs);
        std::cerr << "rank " << rank << " differs\n";
        return 1;
      }
      for (const auto& [key, count] : theirs)
        messages += count;
    }
    if (ranks > 1 && messages == 0) {
      std::cerr << "no message was seen: the counter was not loaded\n";
      return 1;
    }
    std::cout << ranks << " ranks, " << messages << " messages: the same\n";
  } catch (const finegrain::InputError& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
