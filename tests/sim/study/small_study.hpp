// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "sim/study/study_file.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"

namespace finegrain::test {

/// A folder with a matrix of 1,000 rows (m.fgm), a platform of four nodes on one switch (four.xml: links of 1
/// GB/s and 1 us, memory of 10 GB/s a node and a core, tau 4 us, remote bandwidth 1 GB/s), and the study file
/// that a test writes.
class SmallStudy {
 public:
  SmallStudy();
  /// Writes study.toml and reads it.
  study::StudyFile read(const std::string& text) const;
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

}  // namespace finegrain::test
