// SPDX-License-Identifier: MIT
//
// Policy "naive", Listing 2 of Lagravière et al. 2019: the same accesses as "individual", in the same order,
// and every element of the matrix is reached through a pointer to shared too. For that there are no equations
// (docs/model.md).
#include "sim/pattern/memory_bytes.hpp"
#include "sim/policy/individual_policy.hpp"

namespace finegrain::policy {
namespace {

class Naive : public Individual {
 public:
  std::string name() const override { return "naive"; }
  std::string help() const override { return "Listing 2"; }
  int order() const override { return 0; }
  bool has_formula() const override { return false; }
  std::int64_t shared_bytes(const pattern::SharedElements& elements, const Run& run) const override {
    return Individual::shared_bytes(elements, run) + elements.most_of_a_rank * elements.work_bytes;
  }
};

}  // namespace

const Policy& naive_policy() {
  static const Naive policy;
  return policy;
}

}  // namespace finegrain::policy
