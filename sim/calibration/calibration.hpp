// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace finegrain::calibration {

/// A quantity that was measured several times.
struct Measured {
  double median = 0;
  double p10 = 0;  ///< first decile
  double p90 = 0;  ///< last decile
  std::int64_t samples = 0;
};

/// The memory bandwidth that some ranks of a node get together, or the time of a barrier of them.
struct ByRanks {
  int ranks = 1;
  Measured value;  ///< bytes a second, or seconds
};

struct MessageTime {
  double size_bytes = 0;
  Measured half_round_trip_s;
};

/// How a transport treats long messages (kernels/micro/replies_mpi.cpp).
struct Replies {
  double bytes = 0;               ///< a long message's size
  Measured expected_s;            ///< its time if its receive was posted first
  Measured late_s;                ///< from the post of its receive, long after the send
  Measured answer_s;              ///< to a message of 8 bytes
  Measured answer_beside_data_s;  ///< while the long message goes the same way
  Measured rest_of_data_s;        ///< from then until the rest of it had come

  /// Between the answers of two ranks to messages that a third sends both at once; none with fewer than three
  /// nodes.
  std::optional<Measured> answers_apart_s;
  /// The answer to 8 bytes, while two other ranks send long messages to the one that answers; none with fewer
  /// than four nodes.
  std::optional<Measured> answer_beside_others_s;

  /// Whether answers come with the end of the data rather than at once.
  bool wait_behind_data() const;
  /// Whether a link serves messages in order, rather than in equal shares; none if it was not measured.
  std::optional<bool> links_in_order() const;
  /// Bytes of a long message that had come before its receive was posted; 0 if they are less than an eighth
  /// of it, which may be noise.
  double request_bytes() const;
  /// By how many bytes a connection is ahead of another that begins at the same time; none if it was not
  /// measured. 0 if they take less than half of an answer's time, which may be noise.
  std::optional<double> connection_lead_bytes() const;
};

/// Messages between two ranks, on one node or on two.
struct Messages {
  /// MPI_Send of a message as long as the eager limit, with its receive posted.
  struct EagerSend {
    Measured returned_s;  ///< until it returned
    Measured answered_s;  ///< until the receiver's answer of no bytes was back
  };

  std::vector<MessageTime> times;           ///< ping-pong, by size
  std::optional<double> eager_limit_bytes;  ///< longer messages wait for their receive; none: no message does
  std::optional<EagerSend> eager_send = {};       ///< none without the limit
  std::map<double, EagerSend> longer_sends = {};  ///< the same of longer messages, by their bytes
  Measured send_overhead_s;                       ///< LogGP's o_s
  Measured receive_overhead_s;                    ///< o_r
  double latency_s = 0;                           ///< L
  double gap_s = 0;                               ///< g
  double gap_s_per_byte = 0;                      ///< G
  Measured get_s;                                 ///< one individual access, an 8-byte get

  /// Whether an eager send returns before its bytes have left, because a copy of them was taken. A send that
  /// waits for them takes nearly as long as they do; a quarter of that time leaves room for making the copy.
  bool sends_are_buffered() const {
    return eager_send && eager_send->returned_s.median < eager_send->answered_s.median / 4;
  }

  /// The longest message whose MPI_Send returns before its bytes have left; 0: none does. A longer one than
  /// the eager limit waits until its first part has arrived, and the receiver's answer is back, so it may
  /// take up to half of what its bytes take.
  double buffered_bytes() const {
    if (!sends_are_buffered()) return 0;
    double longest = *eager_limit_bytes;
    for (const auto& [bytes, send] : longer_sends) {
      if (send.returned_s.median >= send.answered_s.median / 2) break;
      longest = bytes;
    }
    return longest;
  }
};

/// MuPC's test of single accesses: seconds of one, by pattern ("stride-1 read", ...).
struct AccessTest {
  std::string test;  ///< "natural ring" or "streaming"
  std::string pattern;
  Measured seconds;
};

/// All that the microbenchmarks found out about a machine.
struct Calibration {
  std::string cpu;
  std::string pinning;
  std::string date;  ///< UTC, ISO 8601
  int cores = 1;     ///< a node's
  int nodes = 1;
  bool oversubscribed = false;
  std::string machine;      ///< machine_identity()
  double others_share = 0;  ///< other programs' part of all CPUs' time in the worst benchmark; 0 to 1
  std::vector<ByRanks> triad_bytes_per_s;  ///< one node's, from one rank to all; at least one entry
  std::vector<ByRanks> barrier_s;          ///< within a node
  Messages within_node;
  std::optional<Messages> between_nodes;  ///< none with one node
  std::optional<Replies> replies;         ///< between nodes
  std::vector<AccessTest> accesses;
};

}  // namespace finegrain::calibration
