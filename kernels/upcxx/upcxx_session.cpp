// SPDX-License-Identifier: MIT
#include "kernels/upcxx/upcxx_session.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "kernels/run/clock.hpp"
#include "kernels/upcxx/mailbox.hpp"
#include "kernels/upcxx/shared_array.hpp"

namespace finegrain::kernels {
namespace {

constexpr int round_trips = 50;

/// Waits until another rank has put a new number here.
std::int64_t take(Mailbox& mailbox) {
  while (true) {
    if (const auto number = mailbox.take()) return *number;
    upcxx::progress();
  }
}

ClockOffset measure_from_first(std::int64_t& answers, upcxx::global_ptr<std::int64_t> of_peer) {
  Mailbox mailbox(answers);
  ClockOffset best;
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < round_trips; ++i) {
    const std::int64_t start_ns = clock_ns();
    upcxx::rput(std::int64_t{i + 1}, of_peer).wait();
    const std::int64_t peer_ns = take(mailbox);
    const std::int64_t end_ns = clock_ns();
    if (end_ns - start_ns >= shortest_ns) continue;
    shortest_ns = end_ns - start_ns;
    best = {peer_ns, start_ns + shortest_ns / 2 - peer_ns};
  }
  return best;
}

void answer_first(std::int64_t& questions, upcxx::global_ptr<std::int64_t> answers) {
  Mailbox mailbox(questions);
  std::int64_t answer_ns = 0;
  for (int i = 0; i < round_trips; ++i) {
    take(mailbox);
    answer_ns = std::max(clock_ns(), answer_ns + 1);
    upcxx::rput(answer_ns, answers).wait();
  }
}

}  // namespace

UpcxxSession::UpcxxSession() {
  upcxx::init();
  rank_ = upcxx::rank_me();
  ranks_ = upcxx::rank_n();
}

UpcxxSession::~UpcxxSession() {
  upcxx::finalize();
}

void UpcxxSession::barrier() const {
  upcxx::barrier();
}

void UpcxxSession::maximize(std::span<double> values) const {
  const std::vector<double> mine(values.begin(), values.end());
  upcxx::reduce_all(mine.data(), values.data(), values.size(), upcxx::op_fast_max).wait();
}

void UpcxxSession::broadcast(std::span<double> values) const {
  upcxx::broadcast(values.data(), values.size(), 0).wait();
}

std::vector<std::string> UpcxxSession::all_texts(const std::string& mine) const {
  std::vector<std::string> texts(static_cast<std::size_t>(ranks()));
  texts[static_cast<std::size_t>(rank())] = mine;
  for (int rank = 0; rank < ranks(); ++rank) {
    std::string& text = texts[static_cast<std::size_t>(rank)];
    text.resize(upcxx::broadcast(text.size(), rank).wait());
    upcxx::broadcast(text.data(), text.size(), rank).wait();
  }
  return texts;
}

std::vector<ClockOffset> UpcxxSession::measure_clock_offsets() const {
  // One for each rank that puts there: a late store of one must not hide what another has put.
  const SharedArray<std::int64_t> mailboxes(*this, ranks());
  std::int64_t* mine = mailboxes.local();
  std::fill_n(mine, ranks(), 0);
  barrier();
  std::vector<ClockOffset> offsets;
  if (is_first()) {
    offsets.push_back({clock_ns(), 0});
    for (int peer = 1; peer < ranks(); ++peer)
      offsets.push_back(measure_from_first(mine[peer], mailboxes.of(peer)));
  } else {
    answer_first(mine[0], mailboxes.of(0) + rank());
  }
  barrier();  // No put is under way when the mailboxes are freed.
  return offsets;
}

std::pair<std::string, std::string> UpcxxSession::library() const {
  return {"upcxx", FINEGRAIN_UPCXX};
}

void UpcxxSession::abort() const {
  // Without finalize(): the launcher then ends the other ranks.
  std::_Exit(1);
}

int run_upcxx_program(int argc, char** argv,
                      const std::function<int(const UpcxxSession&, int, char**)>& kernel) {
  const UpcxxSession upcxx;
  return run_kernel(upcxx, [&] { return kernel(upcxx, argc, argv); });
}

}  // namespace finegrain::kernels
