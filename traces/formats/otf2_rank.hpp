// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/formats/otf2_collectives.hpp"
#include "traces/formats/otf2_trace.hpp"
#include "traces/formats/rank_calls.hpp"

namespace finegrain::formats {

/// The communicators of an archive, numbered as a trace's. Number 0 has all ranks.
class Otf2Communicators {
 public:
  explicit Otf2Communicators(const Otf2Definitions& definitions);

  /// Empty for a communicator that is not defined, or is between two groups.
  std::optional<std::int32_t> number_of(std::uint32_t communicator, std::int32_t rank) const;
  /// A rank of it as a rank of the run; none if it has no such rank.
  std::optional<std::int32_t> rank_of_run(std::int32_t number, std::uint32_t rank) const;
  /// A rank of the run as a rank of it.
  std::int32_t rank_in(std::int32_t number, std::int32_t rank) const;
  std::int32_t size(std::int32_t number) const;
  const std::vector<Communicator>& all() const { return communicators_; }

 private:
  static constexpr std::int32_t of_self = -1;
  std::int32_t ranks_;
  std::vector<Communicator> communicators_;
  std::unordered_map<std::uint32_t, std::int32_t> numbers_;
  std::int32_t first_self_ = 0;  ///< number of rank 0's communicator of itself
};

/// Makes one rank's calls of its events.
class Otf2Rank {
 public:
  Otf2Rank(std::int32_t rank, const Otf2Definitions& definitions, const Otf2Communicators& communicators,
           Otf2Sizes sizes, std::map<std::string, std::int64_t>& remarks)
      : rank_(rank),
        definitions_(definitions),
        communicators_(communicators),
        sizes_(sizes),
        remarks_(remarks) {}

  void read(std::vector<Otf2Event> events);

  RankCalls calls;
  std::vector<Otf2Collective> collectives;

 private:
  /// A call of MPI that a thread is in.
  struct Current {
    int depth = 0;
    std::uint32_t region = 0;
    std::uint64_t start = 0;
    std::vector<Otf2Event> events;
  };

  void look_ahead(std::vector<Otf2Event>& events);
  void add_start(const std::vector<Otf2Event>& events);
  void add_call(const std::string& name, std::uint32_t thread, std::uint64_t start, std::uint64_t end,
                const std::vector<Otf2Event>& events);
  void add(const Otf2Event& event, bool is_exchange, std::vector<std::int64_t>& exchanged);
  void add_message(const Otf2Event& event, bool is_exchange, std::vector<std::int64_t>& exchanged);
  void add_collective(const Otf2Event& event);
  void add_one_sided(const Otf2Event& event);
  void add_window_event(const Otf2Event& event);
  /// EZTrace does not say what a wait completes.
  void guess_completion(const std::string& name);
  void open(std::uint64_t request, std::int64_t number);
  void complete(std::uint64_t request);
  std::int64_t ns(std::uint64_t time) const;
  void remark(const std::string& what) { ++remarks_[what]; }

  std::int32_t rank_;
  const Otf2Definitions& definitions_;
  const Otf2Communicators& communicators_;
  Otf2Sizes sizes_;
  std::map<std::string, std::int64_t>& remarks_;
  std::unordered_map<std::uint64_t, std::int64_t> open_;  ///< requests, by the archive's numbers
  std::map<std::int64_t, bool> receives_;                 ///< open requests: whether it is a receive
  std::vector<std::int64_t> ended_;                       ///< requests that the call completes
  std::unordered_map<std::uint64_t, std::int64_t> one_sided_;
};

/// "MPI_Send" of "MPI_Send", "mpi_send_" and "MPI_SEND"; empty of what is no function of MPI.
std::string mpi_function(const std::string& region);

}  // namespace finegrain::formats
