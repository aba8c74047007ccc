// SPDX-License-Identifier: MIT
//
// CG of the NAS Parallel Benchmarks, written from its specification (NPB 3.3, MPI): the smallest eigenvalue
// of a sparse matrix by the inverse power method, each step of which is 25 steps of CG. Parse, allocate, time
// after a warm-up, verify against the published eigenvalue.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "kernels/mpi/mpi_session.hpp"
#include "kernels/mpi/recorded_messages.hpp"
#include "kernels/npb/cg_layout.hpp"
#include "kernels/problem/npb_cg_matrix.hpp"
#include "kernels/run/kernel_run.hpp"
#include "kernels/run/together.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::kernels {
namespace {

/// A rank's block of the matrix, by rows; columns are counted from the block's first.
struct CgBlock {
  std::vector<std::size_t> begins{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

CgBlock make_block(const problem::NpbCgClass& of_class, const CgLayout& layout) {
  const problem::NpbCgMatrix matrix(of_class);
  problem::NpbCgMatrix::Rows rows(matrix);
  CgBlock block;
  std::vector<double> values;
  for (int row = layout.first_row; row < layout.first_row + layout.rows; ++row) {
    const auto columns = rows.entries(row, values);
    for (std::size_t entry = 0; entry < columns.size(); ++entry) {
      const std::int32_t column = columns[entry] - layout.first_column;
      if (column < 0 || column >= layout.columns) continue;
      block.columns.push_back(column);
      block.values.push_back(values[entry]);
    }
    block.begins.push_back(block.columns.size());
  }
  return block;
}

class Cg {
 public:
  Cg(const problem::NpbCgClass& of_class, const CgLayout& layout, int rank, RecordedMessages& messages)
      : class_(of_class),
        layout_(layout),
        rank_(rank),
        messages_(messages),
        block_(make_block(of_class, layout)),
        w_(static_cast<std::size_t>(layout.rows)),
        received_(static_cast<std::size_t>(std::max(layout.rows, layout.columns))) {
    for (auto* vector : {&x_, &z_, &p_, &q_, &r_})
      vector->resize(static_cast<std::size_t>(layout.columns));
    std::ranges::fill(x_, 1);
  }

  /// One outer iteration.
  void iterate() {
    solve();
    double sums[2] = {0, 0};
    stage(0, 2, [&] {
      for (std::size_t i = 0; i < x_.size(); ++i) {
        sums[0] += x_[i] * z_[i];
        sums[1] += z_[i] * z_[i];
      }
    });
    add_up(sums);
    zeta_ = class_.shift + 1 / sums[0];
    stage(0, 2, [&] {
      for (std::size_t i = 0; i < x_.size(); ++i)
        x_[i] = z_[i] / std::sqrt(sums[1]);
    });
    ++iterations_;
    if (iterations_ == class_.iterations) verified_zeta_ = zeta_;
  }

  double residual() const { return residual_; }
  /// Zeta after the benchmark's number of iterations. Those that have not been done yet are done now.
  double zeta_to_verify() {
    while (iterations_ < class_.iterations)
      iterate();
    return verified_zeta_;
  }

 private:
  /// A stage without messages. Its work moves `doubles` doubles for each element of the vectors, and other
  /// bytes.
  void stage(std::int64_t other_bytes, std::int64_t doubles, const std::function<void()>& work) {
    exchange({}, {}, -1, 0, [] {});
    compute(other_bytes, doubles, work);
  }
  void compute(std::int64_t other_bytes, std::int64_t doubles, const std::function<void()>& work) {
    messages_.region(regions::compute, Work{other_bytes + doubles * layout_.columns * 8}, work);
  }
  /// Sends and receives, unless the peer is -1, and then unpacks what arrived.
  void exchange(std::span<const double> sent, std::span<double> received, int peer, std::int64_t unpack_bytes,
                const std::function<void()>& unpack) {
    messages_.region(regions::receive, [&] {
      if (peer >= 0) messages_.receive(received, peer);
    });
    messages_.region(regions::pack, Work{}, [] {});
    messages_.region(regions::send, [&] {
      if (peer >= 0) messages_.send(sent, peer);
    });
    messages_.region(regions::wait, [&] { messages_.wait(); });
    messages_.region(regions::unpack, Work{unpack_bytes}, unpack);
  }
  std::span<double> part(std::vector<double>& vector, int start, int length) {
    return std::span(vector).subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(length));
  }

  void add_up(std::span<double> sums) {
    for (const int peer : layout_.sum_peers) {
      const auto others = part(received_, 0, static_cast<int>(sums.size()));
      exchange(sums, others, peer, 0, [&] {
        for (std::size_t i = 0; i < sums.size(); ++i)
          sums[i] += others[i];
      });
    }
  }
  double summed(double value) {
    add_up({&value, 1});
    return value;
  }

  /// w = A in, for this rank's block of A.
  void multiply(const std::vector<double>& in) {
    for (std::size_t row = 0; row < w_.size(); ++row) {
      double sum = 0;
      for (std::size_t entry = block_.begins[row]; entry < block_.begins[row + 1]; ++entry)
        sum += block_.values[entry] * in[static_cast<std::size_t>(block_.columns[entry])];
      w_[row] = sum;
    }
  }
  std::int64_t product_bytes() const {
    return static_cast<std::int64_t>(block_.columns.size()) * 12 +
           std::int64_t{layout_.rows + layout_.columns} * 8;
  }
  /// out = the part of A in that belongs to this rank's columns. Then does `work`, which moves `doubles`
  /// doubles for each element.
  void add_up_product(std::vector<double>& out, std::int64_t doubles, const std::function<void()>& work) {
    const auto kept = part(w_, layout_.kept_start, layout_.kept_length);
    for (const CgExchange& step : layout_.reduce) {
      const auto others = part(received_, 0, step.receive_length);
      exchange(part(w_, step.send_start, step.send_length), others, step.peer,
               24 * std::int64_t{step.receive_length}, [&] {
                 for (std::size_t i = 0; i < kept.size(); ++i)
                   kept[i] += others[i];
               });
    }
    if (layout_.transpose.peer == rank_) {
      exchange({}, {}, -1, 16 * std::int64_t{layout_.kept_length},
               [&] { std::ranges::copy(kept, out.begin()); });
    } else {
      exchange(kept, out, layout_.transpose.peer, 0, [] {});
    }
    compute(0, doubles, work);
  }

  /// Solves A z = x by steps of CG.
  void solve() {
    double rho = 0;
    stage(0, 4, [&] {
      std::ranges::fill(z_, 0);
      r_ = x_;
      p_ = x_;
      for (const double value : r_)
        rho += value * value;
    });
    rho = summed(rho);
    double beta = 0;
    for (int step = 0; step < problem::npb_cg_steps; ++step) {
      stage(product_bytes(), step == 0 ? 0 : 3, [&] {
        if (step > 0) update_direction(beta);
        multiply(p_);
      });
      double p_q = 0;
      add_up_product(q_, 2, [&] {
        for (std::size_t i = 0; i < p_.size(); ++i)
          p_q += p_[i] * q_[i];
      });
      const double alpha = rho / summed(p_q);
      double new_rho = 0;
      stage(0, 6, [&] {
        for (std::size_t i = 0; i < p_.size(); ++i) {
          z_[i] += alpha * p_[i];
          r_[i] -= alpha * q_[i];
          new_rho += r_[i] * r_[i];
        }
      });
      new_rho = summed(new_rho);
      beta = new_rho / rho;
      rho = new_rho;
    }
    stage(product_bytes(), 3, [&] {
      update_direction(beta);
      multiply(z_);
    });
    double distance = 0;
    add_up_product(r_, 2, [&] {
      for (std::size_t i = 0; i < x_.size(); ++i)
        distance += (x_[i] - r_[i]) * (x_[i] - r_[i]);
    });
    residual_ = std::sqrt(summed(distance));
  }
  void update_direction(double beta) {
    for (std::size_t i = 0; i < p_.size(); ++i)
      p_[i] = r_[i] + beta * p_[i];
  }

  const problem::NpbCgClass& class_;
  CgLayout layout_;
  int rank_;
  RecordedMessages& messages_;
  CgBlock block_;
  std::vector<double> x_, z_, p_, q_, r_;  ///< this rank's columns
  std::vector<double> w_;                  ///< its rows
  std::vector<double> received_;
  double zeta_ = 0;
  double residual_ = 0;  ///< |x - A z|
  double verified_zeta_ = 0;
  int iterations_ = 0;
};

struct CgOptions : RunOptions {
  std::string class_name = "S";
};

int run(const MpiSession& mpi, int argc, char** argv) {
  CgOptions options;
  parse_kernel_options(mpi, "CG of the NAS Parallel Benchmarks (MPI), verified and timed.",
                       {{"--class", &options.class_name, "S, W, A, B, C or D"}}, options, {}, argc, argv);
  const problem::NpbCgClass& of_class = *together(mpi, [&] {
    if ((mpi.ranks() & (mpi.ranks() - 1)) != 0)
      throw InputError("--ranks", fmt::format("{} ranks (NPB's CG runs on a power of two)", mpi.ranks()),
                       "Start 1, 2, 4, 8, ...");
    return &problem::npb_cg_class(options.class_name, "--class");
  });

  RecordedMessages messages(mpi.comm());
  Cg cg(of_class, cg_layout(static_cast<int>(of_class.rows), mpi.ranks(), mpi.rank()), mpi.rank(), messages);
  const double vector_entries = of_class.nonzeros * (of_class.nonzeros + 1.0);
  const KernelRun kernel{
      .name = "npb-cg_condensed_mpi",
      .problem_text = fmt::format("class {}, {} rows", of_class.name, of_class.rows),
      .problem = {"npb-cg", {{"class", of_class.name}}},
      .policy = "condensed",
      // As the benchmark counts operations.
      .flops_per_iteration = 2 * static_cast<double>(of_class.rows) *
                             (3 + vector_entries + problem::npb_cg_steps * (5 + vector_entries) + 3)};
  return time_and_check(
      mpi, options, kernel, messages, [&] { cg.iterate(); },
      [&](std::int64_t /*iterations*/) {
        // The benchmark's own verification, on every rank.
        const double difference = std::abs(cg.zeta_to_verify() / of_class.verified_zeta - 1);
        return CheckResult{difference, difference <= 1e-10 && cg.residual() <= 1e-8};
      });
}

}  // namespace
}  // namespace finegrain::kernels

int main(int argc, char** argv) {
  return finegrain::kernels::run_mpi_program(argc, argv, finegrain::kernels::run);
}
