// SPDX-License-Identifier: MIT
#include "sim/cli/call_names.hpp"

#include "traces/places/place_names.hpp"

namespace finegrain::cli {
CLI::Option* add_call_names(CLI::App& command, CallNames& names) {
  CLI::Option* by =
      command
          .add_option("--by", names.by,
                      "Recorded program: list its calls by function, or by place: by function and line of "
                      "the source")
          ->check(CLI::IsMember({"function", "place"}))
          ->capture_default_str();
  command
      .add_option("--skip-frames", names.skipped,
                  "With --by place: pass over calls in libraries whose file's name begins so, e.g. libhypre "
                  "(repeatable). Always passed over: MPI, PETSc, HDF5, Boost.MPI, mpi4py and Python")
      ->allow_extra_args(false)
      ->needs(by);
  return by;
}

Trace open_trace(const std::string& path, const CallNames& names) {
  return names.by == "place" ? places::open_by_place(path, names.skipped) : Trace(path);
}

}  // namespace finegrain::cli
