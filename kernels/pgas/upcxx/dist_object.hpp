// SPDX-License-Identifier: MIT
#pragma once

#include <upcxx/allocation.hpp>
#include <upcxx/rma.hpp>
#include <upcxx/team.hpp>
#include <utility>
#include <vector>

namespace upcxx {

namespace detail {
/// Where each rank of the team keeps its part, in its segment. Collective.
std::vector<std::ptrdiff_t> gather_offsets(std::ptrdiff_t offset, const team& members);
}  // namespace detail

/// One object a rank, under one name. Made and destroyed collectively, in the same order on every rank.
/// Unlike in UPC++ proper, making one waits for the others to do so.
template <class T>
class dist_object {
 public:
  explicit dist_object(T value, team& members = world())
      : members_(members),
        object_(new_<T>(std::move(value))),
        offsets_(detail::gather_offsets(object_.offset(), members)) {}
  ~dist_object() {
    if (initialized()) delete_(object_);
  }
  dist_object(const dist_object&) = delete;
  dist_object& operator=(const dist_object&) = delete;

  T& operator*() const { return *object_.local(); }
  T* operator->() const { return object_.local(); }

  /// A copy of that rank's object.
  future<T> fetch(intrank_t rank) const {
    return rget(global_ptr<T>::at(members_[rank], offsets_[static_cast<std::size_t>(rank)]));
  }

 private:
  team& members_;
  global_ptr<T> object_;
  std::vector<std::ptrdiff_t> offsets_;  ///< shape [ranks of the team]
};

}  // namespace upcxx
