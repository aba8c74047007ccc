// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "traces/programs.hpp"

namespace finegrain {

/// Where a rank of a recorded program is: after the last call that did something, and after the last mark of
/// the program's own (MPI_Pcontrol). Work in one place is one stretch of the program's text, or a few.
class PlaceOfWork {
 public:
  /// A call was made. @returns whether it leads to a place, as all do but those that found nothing
  bool pass(const Body& call);
  /// "after MPI_Waitall in Pcontrol 2"
  std::string name() const;

  friend auto operator<=>(const PlaceOfWork&, const PlaceOfWork&) = default;

 private:
  std::optional<RegionName> mark_;
  std::optional<RegionName> function_;  ///< since the mark
};

/// How much longer the work of a recorded program took on another machine, place by place, all ranks
/// together.
class WorkFactors {
 public:
  /// @param here, there  recordings of one program on two machines, which their errors name
  /// @throws InputError if their ranks, calls or bytes are not as many; the first place that differs is named
  WorkFactors(const Programs& here, const std::string& here_name, const Programs& there,
              const std::string& there_name);

  double of(const PlaceOfWork& place) const;
  /// The factor of all work together.
  double mean() const { return mean_; }
  /// For notes: "x 0.4 after MPI_Waitall to x 0.9 after MPI_Bcast", of places that have a hundredth of the
  /// work at least.
  std::string range() const;

 private:
  struct Factor {
    double value;
    double share;  ///< the place's part of the work here
  };
  std::map<PlaceOfWork, Factor> factors_;
  double mean_ = 1;
};

/// The factors of a program and its recording on another machine. @param trace_there  its file or folder
/// @throws InputError as WorkFactors, or if that is no trace of a program
WorkFactors work_factors(const Programs& here, const std::string& here_name,
                         const std::filesystem::path& trace_there);

/// Programs with their work as it is elsewhere. @pre the programs outlive them
class RescaledPrograms : public DerivedPrograms {
 public:
  RescaledPrograms(const Programs& programs, WorkFactors factors)
      : DerivedPrograms(programs), factors_(std::move(factors)) {}
  const WorkFactors& factors() const { return factors_; }
  std::unique_ptr<ProgramCursor> rank(int rank) const override;

 private:
  WorkFactors factors_;
};

}  // namespace finegrain
