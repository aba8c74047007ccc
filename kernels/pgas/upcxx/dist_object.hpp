// SPDX-License-Identifier: MIT
#pragma once

#include <upcxx/allocation.hpp>
#include <upcxx/rma.hpp>
#include <upcxx/team.hpp>
#include <utility>
#include <vector>

namespace upcxx {

namespace detail {
/// Where each rank of the team keeps its part, in its segment. Collective; does not wait for other ranks.
future<std::vector<std::ptrdiff_t>> gather_offsets(std::ptrdiff_t offset, const team& members);
}  // namespace detail

/// One object on each rank, under one name. Such objects are made collectively, in the same order on every
/// rank.
template <class T>
class dist_object {
 public:
  /// No object, until one is moved here.
  dist_object() = default;
  dist_object(T value) : dist_object(world(), std::move(value)) {}
  dist_object(T value, const team& members) : dist_object(members, std::move(value)) {}
  template <class... Arguments>
  dist_object(const team& members, Arguments&&... arguments)
      : members_(&members),
        object_(new_<T>(std::forward<Arguments>(arguments)...)),
        offsets_(detail::gather_offsets(object_.offset(), members)) {}
  ~dist_object() {
    if (initialized()) delete_(object_);
  }
  dist_object(dist_object&& other) noexcept
      : members_(other.members_), object_(std::exchange(other.object_, nullptr)), offsets_(other.offsets_) {}
  dist_object& operator=(dist_object&& other) noexcept {
    std::swap(members_, other.members_);
    std::swap(object_, other.object_);
    std::swap(offsets_, other.offsets_);
    return *this;
  }

  T& operator*() const { return *object_.local(); }
  T* operator->() const { return object_.local(); }
  const upcxx::team& team() const { return *members_; }

  /// A copy of that rank's object, once all ranks have made theirs.
  future<T> fetch(intrank_t rank) const {
    return offsets_.then([rank, owner = (*members_)[rank]](const std::vector<std::ptrdiff_t>& offsets) {
      return rget(global_ptr<T>::at(owner, offsets[static_cast<std::size_t>(rank)]));
    });
  }

 private:
  const upcxx::team* members_ = nullptr;
  global_ptr<T> object_;
  future<std::vector<std::ptrdiff_t>> offsets_;  ///< shape [ranks of the team]
};

}  // namespace upcxx
