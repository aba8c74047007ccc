// SPDX-License-Identifier: MIT
#include "tests/sim/study/small_study.hpp"

#include "kernels/problem/left_ventricle_matrix.hpp"
#include "kernels/problem/matrix_file.hpp"

namespace finegrain::test {

SmallStudy::SmallStudy() {
  write_matrix(folder_ / "m.fgm", left_ventricle_matrix(1000, problem::RowOrder::none, 1).view(), "small");
  const std::string four = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us" sharing_policy="SPLITDUPLEX">
    <prop id="memory_bandwidth" value="10GBps"/>
    <prop id="memory_bandwidth_per_core" value="10GBps"/>
    <prop id="tau" value="4us"/>
    <prop id="remote_bandwidth" value="1GBps"/>
  </cluster>
</platform>
)";
  write_bytes(folder_ / "four.xml", four);
  std::string two_cores = four;
  write_bytes(folder_ / "two_cores.xml", two_cores.replace(four.find("speed="), 0, "core=\"2\" "));
}

study::StudyFile SmallStudy::read(const std::string& text) const {
  write_bytes(folder_ / "study.toml", text);
  return study::read_study_file(folder_ / "study.toml");
}

}  // namespace finegrain::test
