// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/platform/hardware_threads.hpp"
#include "sim/platform/node.hpp"
#include "sim/platform/node_list.hpp"
#include "sim/platform/power.hpp"
#include "sim/platform/size_factors.hpp"

namespace finegrain::platform {

/// What finegrain must know of a machine besides SimGrid's hosts and links. Each member is a `<prop>` of the
/// platform file, named without its unit, e.g. <prop id="memory_bandwidth" value="78.6432GBps"/>.
struct PlatformCosts {
  double memory_bandwidth_bytes_per_s = 0;  ///< a node's, all cores busy (STREAM)
  double memory_bandwidth_per_core_bytes_per_s =
      0;  ///< one core's alone (STREAM); a rank's cap is this x its threads
  /// None: each thread of a rank is simulated as if it had a core of its own.
  std::optional<HardwareThreads> hardware_threads;
  double cache_line_bytes = 64;
  double message_overhead_s = 0;  ///< CPU time to start a message between nodes (o of LogGP)
  double local_latency_s = 0;     ///< that of a message or a barrier's round within a node
  /// Bytes that a store to a scattered place reads before it writes, which the papers' equations leave out:
  /// its cache line, if the cache reads a line before it writes to it.
  double write_allocate_bytes = 0;
  /// The same for a cache line that a copy stores: the line's size if it is read first, 0 if it is streamed.
  double copy_allocate_bytes = 0;
  double call_s = 0;                   ///< a call of a library that handles single elements (Work::calls)
  double search_step_s = 0;            ///< a comparison of sorting or searching (Work::steps)
  double shared_pointer_access_s = 0;  ///< to a rank's own memory (Work::shared_references)
  double affinity_test_s = 0;          ///< a test whether an iteration is the rank's (Work::affinity_tests)
  /// Bandwidth of a link for puts and gets from or to private memory of the initiator, which is not
  /// registered with the network card; none: the same as for all other messages.
  std::optional<double> unregistered_bandwidth_bytes_per_s;
  /// A longer two-sided message waits for its receiver (rendezvous); none: no message waits.
  std::optional<double> eager_limit_bytes;
  /// The sender of a message between nodes that is not longer goes on at once: the library or the network
  /// card has taken a copy, and sends it when it can. None: a sender waits until its bytes have left.
  std::optional<double> buffered_limit_bytes;
  /// A longer message is divided among all rails of its nodes; none: each message goes by one.
  std::optional<double> stripe_above_bytes;
  /// How many bytes are sent before the other side permits the rest. It applies to two-sided messages that
  /// wait for their receiver, and to longer puts and gets. 0: none, and puts and gets need no permission.
  double request_bytes = 0;
  /// Whether replies without data (that a put has arrived, what a get asks for, that a message may be sent)
  /// wait behind data that goes the same way on their connection. False: they overtake it.
  bool replies_wait = false;
  /// Whether links serve messages in the order of their arrival, instead of in equal shares.
  bool links_in_order = false;
  /// By how many bytes a connection is ahead of another that begins at the same time: data wait for so many
  /// of each other connection whose data leave their node over the same link.
  double connection_lead_bytes = 0;
  /// TCP sends so many bytes ahead of their acknowledgement: a flow gets at most this over twice the latency
  /// of its route. None: latencies do not limit rates.
  std::optional<double> tcp_window_bytes;
  /// How many times longer the latency of a two-sided message between nodes is, and with which part of its
  /// share of the links its bytes go, by its size. As in SimGrid's SMPI, what it does not use is lost.
  SizeFactors latency_factors = {};
  SizeFactors bandwidth_factors = {};
  std::optional<double> memory_size_bytes;  ///< a node's; none: not known, and every run fits
  /// Only for the closed form, and only if ranks are on more than one node.
  std::optional<double> tau_s;                         ///< one individual remote access (paper, section 6.2)
  std::optional<double> remote_bandwidth_bytes_per_s;  ///< W_remote of a node (MPI ping-pong)

  /// @throws InputError naming the property that is missing and how to give it
  double tau() const;
  double remote_bandwidth() const;
};

/// A SimGrid platform file and its costs.
struct Platform {
  std::filesystem::path file;
  std::string name;  ///< file name without extension
  PlatformCosts costs;
  std::string mpi = "openmpi-4.1";  ///< MPI library of the collective operations: a table of sim/collectives
  /// How messages share links: a network of sim/replay/engine and its parameters, e.g. "credit:4x4KiB".
  /// Empty: the one that the other properties are of.
  std::string network = {};
  /// Which ways messages take where there are several: a policy of sim/replay/engine, e.g. "valiant". Empty:
  /// the one that SimGrid would take.
  std::string routing = {};
  std::string speed = {};  ///< the first host's, as the file has it, e.g. "20.8Gf"
  int sockets = 1;         ///< a node's
  int memory_domains =
      1;  ///< memories of a node, each with its share of the bandwidth: 1, or as many as sockets
  std::optional<Powers> powers = {};  ///< none: energy is not known
  bool changes_over_time = false;     ///< profiles (<trace_connect>) change it during the run
  /// Settings of its <config> with which SimGrid would simulate another network, and finegrain does not.
  std::vector<std::string> ignored_settings = {};
  bool ignores_wattages = false;               ///< hosts have wattage_per_state, but not all the same
  std::shared_ptr<const void> kept = nullptr;  ///< keeps `file`, if that is a copy with other links
  /// Where nodes are unlike one another, each, in the order of replays. `costs` are the first
  /// one's. Empty: all are alike.
  std::vector<Node> nodes = {};
  std::optional<NodeList> listed = {};  ///< by a hostfile or a rankfile

  /// The costs of one node. @param host  its place among the nodes, in the order of replays
  PlatformCosts costs_of_node(std::size_t host) const;
};

/// The names of platforms, by their files: "p" of "site/p.xml", but "a/p" and "b/p" where several files have
/// it, or "p (1)" and "p (2)" if their folders do not tell them apart. One that is given twice keeps its
/// name.
std::vector<std::string> names_of_files(const std::vector<std::filesystem::path>& files);

/// Reads a SimGrid XML file's costs. Any standard SimGrid platform will do. Costs that it lacks are given in
/// `overrides`, each "name=value" ("memory_bandwidth=100GBps") or a factor ("link_latency=x2"), which win
/// over the file. An error names those that are missing.
/// @throws InputError with file and line: malformed XML, a unit that does not parse, a missing or unknown
/// property, anything by which SimGrid would open another file
Platform read_platform(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The most memory bandwidth that one rank can get: that of its cores, or its share of it if other ranks are
/// on the same cores.
double rank_bandwidth_bytes_per_s(const PlatformCosts& costs, int ranks_on_node, int threads_per_rank);

/// W_private: the bandwidth of one rank while `busy_ranks` ranks of `threads_per_rank` threads are busy on
/// its node.
double private_bandwidth_bytes_per_s(const PlatformCosts& costs, int busy_ranks, int threads_per_rank);

/// How many ranks each node has slots for, or else cores, at least one. Empty where the file
/// does not say how many, or, without a node list, where nodes have cores for equally many ranks.
std::vector<int> ranks_that_fit_nodes(const Platform& platform, int threads_per_rank);

/// What differs between nodes, for tables, e.g. "fast-0 and fast-1: 8 cores, 20Gf; slow-0: 2 cores, 5Gf";
/// empty where all are alike.
std::string describe_nodes(const Platform& platform);

}  // namespace finegrain::platform
