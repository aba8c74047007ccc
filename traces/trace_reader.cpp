// SPDX-License-Identifier: MIT
#include "traces/trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "traces/clock.hpp"
#include "traces/file_slice.hpp"
#include "traces/io/input_error.hpp"
#include "traces/packed_trace.hpp"
#include "traces/rank_file.hpp"
#include "traces/rank_file_reader.hpp"
#include "traces/share_read.hpp"
#include "traces/threads_in_one_order.hpp"

namespace finegrain {

class Trace::State {
 public:
  Manifest manifest;
  std::filesystem::path path;
  std::optional<std::map<std::string, FileSlice>> packed;  ///< none: a folder
  std::shared_ptr<Communicators> communicators = std::make_shared<Communicators>();
  NamePlace name_place;

  std::string file_name(int rank) const {
    return packed ? packed_name(path, rank_file_name(rank)) : (path / rank_file_name(rank)).string();
  }

  FileSlice open(int rank) const {
    const std::string name = rank_file_name(rank);
    const auto missing = [&] {
      const auto partial = manifest.environment.find("partial");
      if (partial == manifest.environment.end())
        return MissingFile(file_name(rank), "is missing", "Get the whole trace, or record it again");
      return MissingFile(file_name(rank), fmt::format("is missing ({})", partial->second),
                         "Record the program again, with the recorder on all ranks");
    };
    if (packed) {
      const auto entry = packed->find(name);
      if (entry == packed->end()) throw missing();
      return entry->second;
    }
    try {
      return FileSlice(path / name);
    } catch (const InputError&) {
      std::error_code ignored;
      const auto type = std::filesystem::status(path / name, ignored).type();
      if (type == std::filesystem::file_type::not_found) throw missing();
      throw;
    }
  }

  bool have_all_ended() const;

  RankFileReader reader(int rank) const {
    const int ranks = manifest.run.ranks;
    if (rank < 0 || rank >= ranks)
      throw InputError(path.string(), fmt::format("has no rank {}", rank),
                       fmt::format("Its ranks are 0 to {}", ranks - 1));
    return {open(rank), rank, ranks, communicators, name_place};
  }
};

/// The last rank to end says so in the manifest, if it finds out that it is the last: on a network's file
/// system it may not. Offsets at the end say that all ranks had come to MPI_Finalize.
bool Trace::State::have_all_ended() const {
  if (manifest.offsets_at_end.empty()) return false;
  try {
    for (int rank = 0; rank < manifest.run.ranks; ++rank)
      if (!has_end_mark(open(rank))) return false;
  } catch (const InputError&) {
    return false;
  }
  return true;
}

Trace::Trace(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  if (std::filesystem::is_regular_file(path)) {
    state_->packed = packed_entries(path);
    state_->manifest = read_manifest(state_->packed->at(manifest_file_name));
  } else {
    state_->manifest = read_manifest(path);
  }
  Manifest& manifest = state_->manifest;
  manifest.complete = manifest.complete || state_->have_all_ended();
}

Trace::~Trace() = default;
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;

const Manifest& Trace::manifest() const {
  return state_->manifest;
}

bool Trace::knows_iterations() const {
  return has_pattern(state_->manifest.run);
}

bool Trace::names_functions() const {
  return !has_pattern(state_->manifest.run);
}

void Trace::name_places(NamePlace name_place) {
  state_->name_place = std::move(name_place);
}

void Trace::for_each_place(const std::function<void(std::span<const CallFrame>)>& visit) const {
  const NamePlace name_place = [&](std::span<const CallFrame> frames) {
    visit(frames);
    return std::string();
  };
  const int ranks = state_->manifest.run.ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    try {
      RankFileReader(state_->open(rank), rank, ranks, std::make_shared<Communicators>(), name_place)
          .has_threads();
    } catch (const InputError&) {
    }
  }
}

std::optional<FileSlice> Trace::places_file() const {
  for (const char* const name : {places_file_name, places_file_name_of_version_1}) {
    if (state_->packed) {
      if (const auto entry = state_->packed->find(name); entry != state_->packed->end()) return entry->second;
    } else if (std::error_code ignored; std::filesystem::exists(state_->path / name, ignored)) {
      return FileSlice(state_->path / name);
    }
  }
  return std::nullopt;
}

std::string Trace::file_name(int rank) const {
  return state_->file_name(rank);
}

std::uint64_t Trace::file_bytes(int rank) const {
  return state_->open(rank).size_bytes();
}

namespace {

/// Adds the seconds of the regions that hold timed work.
void add_timed_work(const Decoded& decoded, std::vector<double>& regions_s) {
  const Body& body = decoded.shape->body;
  for (std::size_t r = 0; r < body.regions.size(); ++r) {
    const auto is_timed = [](const Operation& operation) {
      const auto* work = std::get_if<Work>(&operation);
      return work != nullptr && work->is_timed;
    };
    if (std::ranges::none_of(body.operations_of(body.regions[r]), is_timed)) continue;
    regions_s.resize(body.regions.size());
    const std::int64_t lost_ns = r == 0 ? decoded.lost_ns : 0;
    regions_s[r] += static_cast<double>(decoded.times.regions[r].length_ns() - lost_ns) * 1e-9;
  }
}

/// A recorded rank's loops: it reads on until an iteration differs, or its time may.
class RecordedCursor : public ProgramCursor, public KnowsShareRead {
 public:
  /// @param may_end_early  a file without an end mark ends there, even if the manifest says that the trace is
  ///   complete: the run was killed while its ranks were in MPI_Finalize
  /// @param was_killed  files end early, also those that have an end mark
  RecordedCursor(RankFileReader file, bool may_end_early, bool was_killed)
      : file_(std::move(file)), may_end_early_(may_end_early), ends_early_(was_killed) {
    if (file_.has_threads()) threads_.emplace(file_);
    read_ = read();
  }

  const Loop* next() override {
    if (read_ == nullptr) return nullptr;
    const std::shared_ptr<const Shape> shape = read_->shape;
    regions_s_.clear();
    loop_ = {std::shared_ptr<const Body>(shape, &shape->body), 0};
    do {
      add_timed_work(*read_, regions_s_);
      ++loop_.count;
      read_ = read();
      // Timed work differs each time, and others wait for the longest.
    } while (read_ != nullptr && regions_s_.empty() &&
             (read_->shape == shape || read_->shape->body == shape->body));
    loop_.regions_s = regions_s_;
    return &loop_;
  }
  bool ends_early() const override { return ends_early_ && read_ == nullptr; }
  double share_read() const override { return read_ == nullptr ? 1 : file_.share_read(); }

 private:
  const Decoded* read() {
    try {
      return threads_ ? threads_->next() : file_.next();
    } catch (const UnfinishedFile&) {
      if (!may_end_early_) throw;
      ends_early_ = true;
      return nullptr;
    }
  }

  RankFileReader file_;
  std::optional<ThreadsInOneOrder> threads_;  ///< the file's, where several threads make calls
  bool may_end_early_;             ///< the run may have been killed, so that the file ends anywhere
  bool ends_early_;                ///< it was
  const Decoded* read_ = nullptr;  ///< what comes after the loop
  std::vector<double> regions_s_;
  Loop loop_{};
};

}  // namespace

class Trace::RankReader::State {
 public:
  RankFileReader file;
  ClockMap clock;
  std::optional<ThreadsInOneOrder> threads = std::nullopt;  ///< the file's, to be read in one order
};

Trace::RankReader::RankReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trace::RankReader::~RankReader() = default;
Trace::RankReader::RankReader(RankReader&&) noexcept = default;
Trace::RankReader& Trace::RankReader::operator=(RankReader&&) noexcept = default;

Trace::RankReader Trace::rank(int rank) const {
  const Manifest& manifest = state_->manifest;
  RankFileReader file = state_->reader(rank);
  const auto r = static_cast<std::size_t>(rank);
  const ClockMap clock = manifest.offsets_at_end.empty()
                             ? ClockMap(manifest.offsets_at_start[r], std::nullopt)
                             : ClockMap(manifest.offsets_at_start[r], manifest.offsets_at_end[r]);
  return RankReader(std::make_unique<RankReader::State>(RankReader::State{std::move(file), clock}));
}

Trace::RankReader Trace::rank_in_one_order(int rank) const {
  RankReader reader = this->rank(rank);
  RankReader::State& state = *reader.state_;
  if (state.file.has_threads()) {
    state.threads.emplace(state.file);
    state.clock = ClockMap({}, std::nullopt);
  }
  return reader;
}

std::span<const std::int32_t> Trace::communicator(std::int32_t number) const {
  return state_->communicators->ranks(number);
}

std::unique_ptr<ProgramCursor> Trace::program(int rank, KilledRun killed) const {
  const bool may_end_early = killed == KilledRun::ends_early;
  return std::make_unique<RecordedCursor>(state_->reader(rank), may_end_early,
                                          may_end_early && !state_->manifest.complete);
}

std::optional<RecordedIteration> Trace::RankReader::next() {
  const Decoded* decoded = state_->threads ? state_->threads->next() : state_->file.next();
  if (decoded == nullptr) return std::nullopt;
  const ClockMap& clock = state_->clock;
  const IterationTimes& times = decoded->times;
  RecordedIteration recorded{
      decoded->shape->body, clock.to_rank0(times.iteration), {}, {}, decoded->calls, decoded->lost_ns,
      decoded->thread};
  recorded.regions.reserve(times.regions.size());
  for (const Interval& region : times.regions)
    recorded.regions.push_back(clock.to_rank0(region));
  recorded.posts.reserve(times.starts_ns.size());
  for (const std::int64_t start_ns : times.starts_ns)
    recorded.posts.push_back({clock.to_rank0_ns(start_ns), 0});
  for (const PostEnd& end : times.ends)
    recorded.posts[static_cast<std::size_t>(end.post)].end_ns = clock.to_rank0_ns(end.at_ns);
  return recorded;
}

Schedule schedule_of(const Trace& trace) {
  Schedule schedule;
  schedule.run = trace.manifest().run;
  if (!trace.knows_iterations()) {
    throw InputError(trace.file_name(0),
                     "it holds the calls of a program of any kind (this needs iterations that are alike)",
                     "Use finegrain compare, replay, graph or trace");
  }
  for (int rank = 0; rank < schedule.run.ranks; ++rank) {
    const auto cursor = trace.program(rank);
    const Loop* loop = cursor->next();
    if (loop == nullptr) {
      throw InputError(trace.file_name(rank), "no iteration was recorded", "Record at least one");
    }
    schedule.ranks.push_back(*loop->body);
    const std::int64_t count = loop->count;
    if (cursor->next() != nullptr) {
      throw IterationsDiffer(trace.file_name(rank),
                             fmt::format("iteration {} does not have the phases and messages of iteration 0 "
                                         "(a schedule repeats one iteration)",
                                         count),
                             "See what differs with finegrain trace show");
    }
  }
  return schedule;
}

}  // namespace finegrain
