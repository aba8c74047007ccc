// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "traces/trace_reader.hpp"

namespace finegrain {

/// Where an exported timeline begins and ends, and which ranks it shows.
struct TimelineWindow {
  std::int64_t origin_ns = 0;
  double from_us = 0;
  double until_us = 0;
  std::function<bool(int rank)> shows;

  double us(std::int64_t time_ns) const {
    return static_cast<double>(Interval{origin_ns, time_ns}.length_ns()) / 1e3;
  }
  bool overlaps(const Interval& time) const {
    return us(time.end_ns) >= from_us && us(time.start_ns) <= until_us;
  }
};

/// Text of the rows of one rank, iteration after iteration.
class TimelineText {
 public:
  virtual ~TimelineText() = default;
  virtual std::string head() const = 0;
  virtual std::string begin_rank(int rank) = 0;
  virtual std::string iteration(std::int64_t number, const RecordedIteration& recorded) = 0;
  virtual std::string tail() const = 0;
};

/// Trace events: a node is a process, a rank is a thread. Phases are slices of the thread; messages are
/// asynchronous slices, because several are on their way at once, and arrows between the threads.
class ChromeText : public TimelineText {
 public:
  static constexpr std::string_view opening = R"({"displayTimeUnit":"ns","traceEvents":[)";
  static constexpr std::string_view first_event = R"({"ph":"M","name":"process_name")";
  /// @param node  each rank's
  ChromeText(std::function<int(int rank)> node, const TimelineWindow& window)
      : node_(std::move(node)), window_(window) {}
  std::string head() const override;
  std::string begin_rank(int rank) override;
  std::string iteration(std::int64_t number, const RecordedIteration& recorded) override;
  std::string tail() const override;

 private:
  void add(std::string& text, const nlohmann::ordered_json& event);
  void add_post(std::string& text, std::int64_t iteration, const Post& post, const Interval& time);
  void add_arrow(std::string& text, const Post& post, const Interval& time);
  int node(int rank) const { return node_(rank); }

  std::function<int(int rank)> node_;
  const TimelineWindow& window_;
  bool begun_ = false;
  int rank_ = 0;
  std::uint64_t messages_ = 0;  ///< those of all ranks so far
  /// By the peer, the communicator and the tag: sends and receives with the same ones are matched in order.
  std::map<std::tuple<TransferKind, std::int32_t, std::int32_t, std::int32_t>, std::uint64_t>
      messages_of_peer_;
};

class CsvText : public TimelineText {
 public:
  static constexpr std::string_view heading =
      "rank,iteration,phase,event,peer,bytes,repeat,memory_bytes,start_us,end_us\n";
  explicit CsvText(const TimelineWindow& window) : window_(window) {}
  std::string head() const override;
  std::string begin_rank(int rank) override;
  std::string iteration(std::int64_t number, const RecordedIteration& recorded) override;
  std::string tail() const override { return {}; }

 private:
  const TimelineWindow& window_;
  int rank_ = 0;
};

}  // namespace finegrain
