// SPDX-License-Identifier: MIT
//
// Sparse matrix-vector product y = Mx by an inspector and an executor, as the XLUPC compiler makes them from
// the loop of Listing 3. A window of rows is inspected for the elements of x that other ranks own, and each
// of these is fetched once, in one message for each owner. Then the rows are multiplied; each element is
// found in the sorted buffer. In the overlapped form, the next window's elements are fetched meanwhile.
// Parse, allocate, time after a warm-up, validate.
#include <algorithm>
#include <span>

#include "kernels/run/together.hpp"
#include "kernels/spmv/access_window.hpp"
#include "kernels/spmv/own_rows.hpp"
#include "kernels/spmv/shared_vector.hpp"
#include "kernels/upcxx/recorded_transfers.hpp"
#include "kernels/upcxx/upcxx_session.hpp"

namespace finegrain::kernels {
namespace {

struct InspectorOptions {
  std::int64_t window = 512;
  std::string form = "vector";
  std::string inline_checks = "yes";
};

std::vector<Option> own_options(InspectorOptions& options) {
  return {{.flag = "--window",
           .value = &options.window,
           .help = "rows that are inspected and fetched together",
           .most = 1e15},
          {.flag = "--form",
           .value = &options.form,
           .help = "how references are told to the runtime: calls (one each) or vector (one a window)",
           .choices = {"calls", "vector"}},
          {.flag = "--inline-checks",
           .value = &options.inline_checks,
           .help = "whether own elements are told apart before the runtime is called: yes, no",
           .choices = {"yes", "no"}}};
}

/// A window of this rank's rows, whose elements are being fetched or have arrived.
struct Rows {
  explicit Rows(int rank) : accesses(rank) {}

  std::int64_t first = 0;
  std::int64_t last = 0;  ///< one past the last row
  AccessWindow accesses;
  std::vector<Place> collected;  ///< in the form "vector" only
  std::vector<RecordedTransfers::Stretch> from;
  std::vector<RecordedTransfers::LocalStretch> to;
};

class Product {
 public:
  Product(const Session& session, const SpmvInput& input, const OwnRows& own, const InspectorOptions& options)
      : rank_(session.rank()),
        input_(input),
        own_(own),
        adds_one_by_one_(options.form == "calls"),
        checks_inline_(options.inline_checks == "yes") {}

  Work inspect(Rows& rows) const {
    rows.accesses.clear();
    rows.collected.clear();
    for (std::int64_t entry = rows.first * own_.r_nz; entry < rows.last * own_.r_nz; ++entry) {
      const Place place = place_of(own_.columns[entry]);
      if (checks_inline_ && place.owner == rank_) continue;
      if (adds_one_by_one_) {
        rows.accesses.add(place);
      } else {
        rows.collected.push_back(place);
      }
    }
    if (!adds_one_by_one_) rows.accesses.add(rows.collected);
    rows.accesses.schedule();
    const std::int64_t references = (rows.last - rows.first) * own_.r_nz;
    return {.memory_bytes = references * static_cast<std::int64_t>(sizeof(std::int32_t)),
            .calls = rows.accesses.take_calls(),
            .steps = rows.accesses.take_steps()};
  }

  /// Starts one transfer for each owner.
  void fetch(Rows& rows, const SharedVector<double>& x, RecordedTransfers& transfers) const {
    rows.from.clear();
    rows.to.clear();
    for (const AccessWindow::Stretch& stretch : rows.accesses.stretches()) {
      rows.from.emplace_back(x.of(stretch.first.owner) + stretch.first.local_index, stretch.length);
      rows.to.emplace_back(rows.accesses.buffer() + stretch.begin, stretch.length);
    }
    const std::span from(rows.from);
    const std::span to(rows.to);
    for (std::size_t begin = 0; begin < from.size();) {
      std::size_t end = begin + 1;
      while (end < from.size() && from[end].first.where() == from[begin].first.where())
        ++end;
      transfers.get(from.subspan(begin, end - begin), to.subspan(begin, end - begin), Going::on);
      begin = end;
    }
  }

  Work execute(Rows& rows, const double* x, double* y) const {
    for (std::int64_t row = rows.first; row < rows.last; ++row) {
      double sum = 0.0;
      for (std::int64_t entry = row * own_.r_nz; entry < (row + 1) * own_.r_nz; ++entry) {
        const Place place = place_of(own_.columns[entry]);
        const bool is_known_as_own = checks_inline_ && place.owner == rank_;
        sum += own_.values[entry] * (is_known_as_own ? x[place.local_index] : rows.accesses.find(place, x));
      }
      y[row] = own_.diagonal[row] * x[row] + sum;
    }
    return {.memory_bytes = multiply_bytes(rows.last - rows.first, own_.r_nz),
            .calls = rows.accesses.take_calls(),
            .steps = rows.accesses.take_steps()};
  }

 private:
  Place place_of(std::int32_t element) const {
    return {static_cast<std::int32_t>(input_.distribution.owner(element)),
            static_cast<std::int32_t>(input_.local_index(element))};
  }

  int rank_;
  const SpmvInput& input_;
  const OwnRows& own_;
  bool adds_one_by_one_;
  bool checks_inline_;
};

int run(const UpcxxSession& upcxx, int argc, char** argv) {
  InspectorOptions inspector;
  const SpmvOptions options = parse_spmv_options(
      upcxx, "Sparse matrix-vector product by inspector and executor (UPC++), checked and timed.", argc, argv,
      {"together", "overlapped"}, own_options(inspector));
  const bool overlapped = options.completion == "overlapped";

  const SpmvInput input = open_input(upcxx, options);
  const OwnRows own = together(upcxx, [&] { return load_own_rows(input); });
  SharedVector<double> x(upcxx, input);
  SharedVector<double> y(upcxx, input);
  set_start_values(input, x.local());
  upcxx.barrier();

  RecordedTransfers transfers(InitiatorMemory::own);
  const Product product(upcxx, input, own, inspector);
  const auto start = [&](Rows& rows, std::int64_t first) {
    rows.first = first;
    rows.last = first + std::min(inspector.window, input.own_rows() - first);
    transfers.work(product.inspect(rows));
    product.fetch(rows, x, transfers);
  };
  const auto wait = [&](const Rows& rows) {
    if (!rows.accesses.stretches().empty()) transfers.wait();
  };
  const auto execute = [&](Rows& rows) { transfers.work(product.execute(rows, x.local(), y.local())); };
  Rows rows(upcxx.rank());
  Rows next(upcxx.rank());  // overlapped: on its way while `rows` are multiplied
  const auto go_through_windows = [&] {
    for (rows.last = 0; rows.last < input.own_rows();) {
      start(rows, rows.last);
      wait(rows);
      execute(rows);
    }
  };
  const auto go_through_overlapped_windows = [&] {
    if (input.own_rows() == 0) return;
    start(rows, 0);
    wait(rows);
    while (rows.last < input.own_rows()) {
      start(next, rows.last);
      execute(rows);
      wait(next);
      std::swap(rows, next);
    }
    execute(rows);
  };
  const auto iterate = [&] {
    transfers.region(regions::compute, [&] {
      if (overlapped) {
        go_through_overlapped_windows();
      } else {
        go_through_windows();
      }
    });
    transfers.barrier(upcxx);
    std::swap(x, y);
    transfers.barrier(upcxx);
  };
  KernelRun described = describe(input, "spmv_inspector_upcxx", "inspector", Transfer::get,
                                 overlapped ? Completion::overlapped : Completion::together);
  described.policy_settings = {
      {"window", inspector.window}, {"form", inspector.form}, {"inline-checks", inspector.inline_checks}};
  return time_and_check(upcxx, options, described, transfers, iterate, [&](std::int64_t iterations) {
    return check_against_sequential(upcxx, input, iterations,
                                    {x.local(), static_cast<std::size_t>(input.own_rows())});
  });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_upcxx_program(argc, argv, finegrain::kernels::run);
}
