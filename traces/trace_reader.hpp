// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/call_frame.hpp"
#include "traces/file_slice.hpp"
#include "traces/interval.hpp"
#include "traces/io/input_error.hpp"
#include "traces/manifest.hpp"
#include "traces/operation.hpp"
#include "traces/programs.hpp"

namespace finegrain {

/// A rank has no file in the trace.
class MissingFile : public InputError {
 public:
  using InputError::InputError;
};

/// A rank's file has no end mark: its program was killed, or still runs.
class UnfinishedFile : public InputError {
 public:
  using InputError::InputError;
};

/// A rank's iterations are not all alike.
class IterationsDiffer : public InputError {
 public:
  using InputError::InputError;
};

/// How to read a run that was killed, so that its ranks' files end at different points: as an error, or up to
/// the end of each file (ProgramCursor::ends_early()).
enum class KilledRun : std::uint8_t { refused, ends_early };

/// One iteration of one rank, as it was recorded.
struct RecordedIteration {
  Body body;
  Interval time;
  std::vector<Interval> regions;  ///< shape [body.regions]
  std::vector<Interval> posts;    ///< times of the posts among body.operations, in order
  std::uint64_t calls = 1;        ///< in a row that found nothing, of a program's polls
  std::int64_t lost_ns = 0;       ///< how long the rank waited for a core in a program's work before a call
  std::uint32_t thread = 0;       ///< the one that made a program's call; 0: the main one

  friend bool operator==(const RecordedIteration&, const RecordedIteration&) = default;
};

/// A trace on disk: a folder, or the single file that `finegrain trace pack` makes of it.
class Trace {
 public:
  /// Reads the manifest. @throws InputError naming file and byte
  explicit Trace(const std::filesystem::path& path);
  ~Trace();
  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;

  const Manifest& manifest() const;
  /// Whether the manifest says how many iterations all ranks did. If not, each rank has as many as it made
  /// calls.
  bool knows_iterations() const;
  /// Whether regions are functions that were called, and the work between them, of which only the time is
  /// known. If not, they are phases, whose work is counted in bytes.
  bool names_functions() const;
  /// From now on calls are named by function and place, "MPI_Isend halo.c:88", where places were recorded.
  void name_places(NamePlace name_place);
  /// Calls visit() for each place of a recorded program, perhaps several times. Damaged and missing files are
  /// passed over.
  void for_each_place(const std::function<void(std::span<const CallFrame>)>& visit) const;
  /// With the names of places; none if the trace has none. @throws InputError if it cannot be read
  std::optional<FileSlice> places_file() const;
  /// A rank's file as errors name it: "folder/rank_00003.fgt", "trace.tar(rank_00003.fgt)".
  std::string file_name(int rank) const;
  /// @throws InputError if the rank's file is missing
  std::uint64_t file_bytes(int rank) const;

  /// Reads one rank's file from the start, one chunk in memory at a time.
  class RankReader {
   public:
    ~RankReader();
    RankReader(RankReader&&) noexcept;
    RankReader& operator=(RankReader&&) noexcept;
    /// The next iteration, or none after the last. @throws InputError naming file and byte where the file is
    /// damaged; UnfinishedFile if it just ends (the run was killed), after all iterations before were handed
    /// out
    std::optional<RecordedIteration> next();

   private:
    friend class Trace;
    class State;
    explicit RankReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  /// @throws InputError if the trace has no such rank or its file does not begin as that rank's, MissingFile
  RankReader rank(int rank) const;
  /// The calls of several threads in one order (ThreadsInOneOrder), which a rank that does one thing after
  /// the other can follow. Of their times, only the lengths of regions have a meaning. Others are as rank()
  /// reads them. @throws as rank()
  RankReader rank_in_one_order(int rank) const;
  /// The same iterations without their times; equal ones that follow each other are one loop. Calls of
  /// several threads are in one order (ThreadsInOneOrder).
  std::unique_ptr<ProgramCursor> program(int rank, KilledRun killed = KilledRun::refused) const;
  /// The ranks of a communicator that a program that was read names, in its order. @param number  not 0,
  /// which has all
  std::span<const std::int32_t> communicator(std::int32_t number) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// What was recorded, as programs. @pre the trace outlives them
class RecordedPrograms : public Programs {
 public:
  explicit RecordedPrograms(const Trace& trace, KilledRun killed = KilledRun::refused)
      : trace_(trace), killed_(killed) {}
  int ranks() const override { return trace_.manifest().run.ranks; }
  std::unique_ptr<ProgramCursor> rank(int rank) const override { return trace_.program(rank, killed_); }
  std::span<const std::int32_t> communicator(std::int32_t number) const override {
    return trace_.communicator(number);
  }

 private:
  const Trace& trace_;
  KilledRun killed_;
};

/// The iteration that every recorded one of a rank equals, for all ranks.
/// @throws IterationsDiffer if a rank's do, naming the first that does; InputError if there is none
Schedule schedule_of(const Trace& trace);

}  // namespace finegrain
