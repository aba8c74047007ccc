// SPDX-License-Identifier: MIT
// failed_check data|input FAILING_RANK FOLDER: one rank's data are wrong, or one rank's input is, and every
// rank writes its exit code to FOLDER/<rank>.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/mpi/mpi_session.hpp"
#include "kernels/run/round_off_check.hpp"
#include "kernels/run/run_report.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"

namespace {

using namespace finegrain;
using namespace finegrain::kernels;

int check_with_wrong_data(const MpiSession& mpi, bool wrong) {
  const std::vector<double> expected(10, 1.0);
  std::vector<double> ours = expected;
  if (wrong) ours.back() += 1e-9;
  RoundOffCheck check;
  check.compare(ours, expected);
  const CheckResult result = check.finish(mpi);
  return kernels::report(mpi, {}, {"failed_check", "10 values a rank", 1, {}, {1.0, 1.0, 1.0}, 1.0, result});
}

int meet_wrong_input(const MpiSession& mpi, bool wrong) {
  together(mpi, [&] {
    if (wrong) throw InputError("", "this rank's input is wrong");
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string what = argv[1];
  const int failing_rank = std::atoi(argv[2]);
  std::string code_file;
  const int code = run_mpi_program(argc, argv, [&](const MpiSession& mpi, int, char**) {
    code_file = std::string(argv[3]) + "/" + std::to_string(mpi.rank());
    std::filesystem::remove(code_file);
    const bool wrong = mpi.rank() == failing_rank;
    return what == "data" ? check_with_wrong_data(mpi, wrong) : meet_wrong_input(mpi, wrong);
  });
  std::ofstream(code_file) << code;
  return code;
}
