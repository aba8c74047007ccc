// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/run.hpp"

namespace finegrain::validation {

/// How a measured value may be used.
enum class Standing : std::uint8_t {
  scored,         ///< a prediction: nothing was fitted to it
  calibration,    ///< what had to be fitted may have been fitted to it, so it enters no score
  input_assumed,  ///< the paper leaves an input out; shown with the range over BLOCKSIZE
  excluded,       ///< can't be compared; a note of its table says why
};

std::string_view to_string(Standing standing);

/// The part of an iteration that a paper timed.
enum class Part : std::uint8_t { halo, compute, total };

/// One measured value of a published table, and the run that was measured, with all its iterations.
struct Experiment {
  std::string column;  ///< the table's, e.g. "halo", "v1"
  Run run;
  Part part = Part::total;
  double measured_s = 0;
  std::optional<double> printed_s;  ///< the paper's own prediction
  Standing standing = Standing::scored;
  /// Only for input_assumed: the BLOCKSIZEs over which its range is computed, including that of `run`.
  std::vector<std::int64_t> block_sizes;
  bool moves_bytes = false;  ///< so many that its time depends on the network's rate
};

/// A table of measurements, in seconds of published_iterations.
struct PublishedExperiments {
  std::string name;      ///< e.g. "Table 5"
  std::string title;     ///< one line
  std::string platform;  ///< file name of the machine, e.g. "abel_upc.xml"
  std::vector<Experiment> experiments;
  std::vector<std::string> notes;
};

/// Tables 5 (Lagravière et al. 2019) and IV (thesis, Paper III): 2D heat on Abel.
PublishedExperiments heat_table_5();
PublishedExperiments heat_table_iv();

/// Table 4: SpMV on Abel, test problem 1, in three policies.
PublishedExperiments spmv_table_4();
/// Table 2: the same problem on one node, 1 to 16 ranks.
PublishedExperiments spmv_table_2();
/// Table 3, test problem 2 or 3. (Table 4 has the values of problem 1.)
PublishedExperiments spmv_table_3(int problem);
/// Table I (thesis, Paper III): SpMV in UPC and UPC++ on Abel.
PublishedExperiments spmv_table_i();
/// Table III: the same on one Xeon Phi.
PublishedExperiments spmv_table_iii();

/// BLOCKSIZE as in Table 4: 65536, or, if that leaves ranks without a block, n / ranks rounded down to a
/// multiple of fifty.
std::int64_t usual_block_size(std::int64_t rows, int ranks);

}  // namespace finegrain::validation
