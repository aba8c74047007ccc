// SPDX-License-Identifier: MIT
#include "traces/trace_reader.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "traces/clock.hpp"
#include "traces/file_slice.hpp"
#include "traces/io/input_error.hpp"
#include "traces/packed_trace.hpp"
#include "traces/rank_file.hpp"
#include "traces/rank_file_reader.hpp"

namespace finegrain {

class Trace::State {
 public:
  Manifest manifest;
  std::filesystem::path path;
  std::optional<std::map<std::string, FileSlice>> packed;  ///< none: a folder

  std::string file_name(int rank) const {
    return packed ? packed_name(path, rank_file_name(rank)) : (path / rank_file_name(rank)).string();
  }

  FileSlice open(int rank) const {
    const std::string name = rank_file_name(rank);
    std::error_code ignored;  // then opening fails, and says why
    const bool there = packed ? packed->contains(name)
                              : std::filesystem::status(path / name, ignored).type() !=
                                    std::filesystem::file_type::not_found;
    if (!there)
      throw MissingFile(
          fmt::format("{}: is missing. Get the whole trace, or record it again", file_name(rank)));
    return packed ? packed->at(name) : FileSlice(path / name);
  }
};

Trace::Trace(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  if (!std::filesystem::is_regular_file(path)) {
    state_->manifest = read_manifest(path);
    return;
  }
  state_->packed = packed_entries(path);
  state_->manifest = read_manifest(state_->packed->at(manifest_file_name));
}

Trace::~Trace() = default;
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;

const Manifest& Trace::manifest() const {
  return state_->manifest;
}

std::string Trace::file_name(int rank) const {
  return state_->file_name(rank);
}

std::uint64_t Trace::file_bytes(int rank) const {
  return state_->open(rank).size_bytes();
}

class Trace::RankReader::State {
 public:
  RankFileReader file;
  ClockMap clock;
};

Trace::RankReader::RankReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trace::RankReader::~RankReader() = default;
Trace::RankReader::RankReader(RankReader&&) noexcept = default;
Trace::RankReader& Trace::RankReader::operator=(RankReader&&) noexcept = default;

Trace::RankReader Trace::rank(int rank) const {
  const Manifest& manifest = state_->manifest;
  if (rank < 0 || rank >= manifest.run.ranks) {
    throw InputError(fmt::format("{}: has no rank {}. Its ranks are 0 to {}", state_->path.string(), rank,
                                 manifest.run.ranks - 1));
  }
  const auto r = static_cast<std::size_t>(rank);
  const ClockMap clock = manifest.offsets_at_end.empty()
                             ? ClockMap(manifest.offsets_at_start[r], std::nullopt)
                             : ClockMap(manifest.offsets_at_start[r], manifest.offsets_at_end[r]);
  return RankReader(std::make_unique<RankReader::State>(
      RankReader::State{RankFileReader(state_->open(rank), rank, manifest.run.ranks), clock}));
}

std::optional<RecordedIteration> Trace::RankReader::next() {
  const std::optional<ChunkDecoder::Decoded> decoded = state_->file.next();
  if (!decoded) return std::nullopt;
  const ClockMap& clock = state_->clock;
  const IterationTimes& times = decoded->times;
  RecordedIteration recorded{*decoded->shape, clock.to_rank0(times.iteration), {}, {}};
  recorded.phases.reserve(times.phases.size());
  for (const Interval& phase : times.phases)
    recorded.phases.push_back(clock.to_rank0(phase));
  recorded.messages.reserve(times.starts_ns.size());
  for (const std::int64_t start_ns : times.starts_ns)
    recorded.messages.push_back({clock.to_rank0_ns(start_ns), 0});
  for (const MessageEnd& completion : times.completions)
    recorded.messages[static_cast<std::size_t>(completion.message)].end_ns =
        clock.to_rank0_ns(completion.at_ns);
  return recorded;
}

Schedule schedule_of(const Trace& trace) {
  Schedule schedule;
  schedule.run = trace.manifest().run;
  for (int rank = 0; rank < schedule.run.ranks; ++rank) {
    Trace::RankReader reader = trace.rank(rank);
    std::optional<RecordedIteration> first = reader.next();
    if (!first) {
      throw InputError(
          fmt::format("{}: no iteration was recorded. Record at least one", trace.file_name(rank)));
    }
    std::int64_t iteration = 1;
    for (auto recorded = reader.next(); recorded; recorded = reader.next(), ++iteration) {
      if (recorded->iteration != first->iteration) {
        throw InputError(fmt::format(
            "{}: iteration {} does not have the phases and messages of iteration 0 (a schedule repeats one "
            "iteration). See what differs with finegrain trace show",
            trace.file_name(rank), iteration));
      }
    }
    schedule.ranks.push_back(std::move(first->iteration));
  }
  return schedule;
}

}  // namespace finegrain
