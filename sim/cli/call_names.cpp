// SPDX-License-Identifier: MIT
#include "sim/cli/call_names.hpp"

#include "traces/io/input_error.hpp"
#include "traces/places/place_names.hpp"

namespace finegrain::cli {
namespace {

bool has_places(const Trace& trace) {
  bool has = false;
  trace.for_each_place([&](auto) { has = true; });
  return has;
}

}  // namespace

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
  Trace trace(path);
  if (names.by != "place") return trace;
  if (!trace.names_functions())
    throw InputError("--by", "it is of a recorded MPI program's calls (a kernel's trace has phases)",
                     "Leave it out");
  if (!has_places(trace))
    throw InputError(path, "does not say where in the program its calls were made",
                     "Record it again, without --call-sites none");
  name_calls_by_place(trace, names.skipped);
  return trace;
}

}  // namespace finegrain::cli
