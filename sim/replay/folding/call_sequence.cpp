// SPDX-License-Identifier: MIT
#include "sim/replay/folding/call_sequence.hpp"

#include <boost/functional/hash.hpp>
#include <unordered_map>

namespace finegrain::replay {
namespace {

// 200 MB, of one rank at a time.
constexpr std::size_t most_calls_of_a_rank = 16'000'000;
constexpr std::size_t most_bytes_of_bodies = 4 << 20;

std::size_t bytes_of(const Body& body) {
  return sizeof body + body.operations.size() * sizeof(Operation) + body.regions.size() * sizeof(Region) +
         body.sizes.size() * sizeof(std::int64_t);
}

std::vector<std::uint32_t> timed_regions_of(const Body& body) {
  std::vector<std::uint32_t> timed;
  for (std::size_t r = 0; r < body.regions.size(); ++r) {
    for (const Operation& operation : body.operations_of(body.regions[r])) {
      const auto* work = std::get_if<Work>(&operation);
      if (work == nullptr || !work->is_timed) continue;
      timed.push_back(static_cast<std::uint32_t>(r));
      break;
    }
  }
  return timed;
}

/// Numbers bodies as they are met.
class Numbers {
 public:
  explicit Numbers(CallSequence& sequence) : sequence_(sequence) {}

  std::uint32_t of(const std::shared_ptr<const Body>& body) {
    const auto known = by_address_.find(body.get());
    if (known != by_address_.end()) return known->second;
    kept_.push_back(body);  // so that no other one lies at its address
    bytes_ += bytes_of(*body);
    const std::uint32_t number = by_content(body);
    by_address_.emplace(body.get(), number);
    return number;
  }
  /// The bytes of all bodies that are kept.
  std::size_t bytes() const { return bytes_; }

 private:
  std::uint32_t by_content(const std::shared_ptr<const Body>& body) {
    const auto [first, last] = by_hash_.equal_range(hash_of(*body));
    for (auto candidate = first; candidate != last; ++candidate)
      if (*sequence_.bodies[candidate->second] == *body) return candidate->second;
    const auto number = static_cast<std::uint32_t>(sequence_.bodies.size());
    by_hash_.emplace(hash_of(*body), number);
    sequence_.bodies.push_back(body);
    sequence_.timed_regions.push_back(timed_regions_of(*body));
    return number;
  }

  CallSequence& sequence_;
  std::unordered_map<const Body*, std::uint32_t> by_address_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
  std::vector<std::shared_ptr<const Body>> kept_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::size_t hash_of(const Body& body) {
  std::size_t hash = body.operations.size();
  for (const Region& region : body.regions)
    boost::hash_combine(hash, region.name.text().data());  // a name has one text
  for (const Operation& operation : body.operations) {
    boost::hash_combine(hash, operation.index());
    if (const auto* post = std::get_if<Post>(&operation)) {
      boost::hash_combine(hash, post->peer);
      boost::hash_combine(hash, post->tag);
      boost::hash_combine(hash, post->size_bytes);
    } else if (const auto* complete = std::get_if<Complete>(&operation)) {
      boost::hash_combine(hash, complete->oldest);
    } else if (const auto* collective = std::get_if<Collective>(&operation)) {
      boost::hash_combine(hash, collective->size_bytes);
    }
  }
  return hash;
}

std::optional<CallSequence> read_calls(ProgramCursor& program) {
  CallSequence sequence;
  Numbers numbers(sequence);
  while (const Loop* loop = program.next()) {
    if (loop->count > static_cast<std::int64_t>(most_calls_of_a_rank - sequence.calls.size()))
      return std::nullopt;
    const std::uint32_t number = numbers.of(loop->body);
    if (numbers.bytes() > most_bytes_of_bodies) return std::nullopt;
    sequence.calls.insert(sequence.calls.end(), static_cast<std::size_t>(loop->count), number);
    for (std::int64_t call = 0; call < loop->count; ++call) {
      for (const std::uint32_t region : sequence.timed_regions[number])
        sequence.seconds.push_back(static_cast<float>(loop->regions_s[region]));
    }
  }
  // The part that its ranks repeat together ends at a different point on each.
  if (program.ends_early()) return std::nullopt;
  return sequence;
}

}  // namespace finegrain::replay
