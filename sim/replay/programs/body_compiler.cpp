// SPDX-License-Identifier: MIT
#include "sim/replay/programs/body_compiler.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain::replay {
namespace {

bool is_element(TransferKind kind) {
  return kind == TransferKind::load || kind == TransferKind::store;
}

/// Transfers from the first on that follow one another on a connection. @pre there is one
std::size_t count_alike(std::span<const Operation> operations, const Compiler& compiler) {
  const Post& first = std::get<Post>(operations.front());
  const auto other = std::ranges::find_if(operations, [&](const Operation& operation) {
    const auto* post = std::get_if<Post>(&operation);
    return post == nullptr || post->kind != first.kind || post->peer != first.peer || post->blocking ||
           post->private_memory != first.private_memory ||
           compiler.rails_of(static_cast<double>(post->size_bytes)) !=
               compiler.rails_of(static_cast<double>(first.size_bytes));
  });
  return static_cast<std::size_t>(other - operations.begin());
}

/// Whether all that a region does is work.
bool only_works(std::span<const Operation> operations) {
  return !operations.empty() && std::ranges::all_of(operations, [](const Operation& operation) {
    return std::holds_alternative<Work>(operation);
  });
}

}  // namespace

CompiledBody BodyCompiler::compile(std::span<const double> durations_s) && {
  for (std::size_t r = 0; r < body_.regions.size(); ++r) {
    const auto operations = body_.operations_of(body_.regions[r]);
    if (!durations_s.empty() && only_works(operations)) {
      add_recorded_work(durations_s[r]);
    } else {
      region_ = static_cast<std::uint32_t>(r);
      add_operations(operations);
    }
    add(Kind::end_region);
  }
  program_.region_places.resize(body_.regions.size());
  std::iota(program_.region_places.begin(), program_.region_places.end(), 0U);
  return std::move(program_);
}

void BodyCompiler::add_operations(std::span<const Operation> operations) {
  Elements elements;
  for (std::size_t o = 0; o < operations.size(); ++o) {
    const auto* post = std::get_if<Post>(&operations[o]);
    if (post != nullptr && is_element(post->kind)) {
      add_to(elements, *post);
      continue;
    }
    if (const auto* work = std::get_if<Work>(&operations[o])) {
      add_work(*work);
      continue;
    }
    flush(elements);
    if (post == nullptr) {
      add_meeting(operations[o]);
    } else if (is_two_sided(post->kind)) {
      add_two_sided(*post);
    } else if (post->blocking) {
      add_one_sided(*post);
    } else {
      // A flow each would make the solver's time grow with the square of their number.
      const bool all_together =
          !completes_some_ && &operations[o] < last_complete_all_ && post->kind != TransferKind::fetch;
      const std::size_t count = all_together ? count_alike(operations.subspan(o), compiler_) : 1;
      start_one_sided(operations.subspan(o, count));
      o += count - 1;
    }
  }
  flush(elements);
}

void BodyCompiler::add_work(const Work& work) {
  if (work.is_timed) {
    const bool is_compute = body_.regions[region_].name == regions::compute;
    program_.timed_steps.push_back({static_cast<std::uint32_t>(program_.steps.size()), region_, is_compute});
    add(Kind::delay).is_work = is_compute;
    return;
  }
  add_memory(work_volume(work, costs_));
  add_delay(static_cast<double>(work.calls) * costs_.call_s +
            static_cast<double>(work.steps) * costs_.search_step_s +
            static_cast<double>(work.shared_references) * costs_.shared_pointer_access_s +
            static_cast<double>(work.affinity_tests) * costs_.affinity_test_s);
}

void BodyCompiler::add_local(double bytes, int peer) {
  const bool is_shared = memory(peer) != memory(rank_);
  add_memory(is_shared ? bytes / 2 : bytes, memory(rank_));
  if (is_shared) add_memory(bytes / 2, memory(peer));
}

void BodyCompiler::add_meeting(const Operation& operation) {
  if (const auto* collective = std::get_if<Collective>(&operation)) {
    add_collective(*collective);
    return;
  }
  if (const auto* lock = std::get_if<Lock>(&operation)) {
    add_lock(*lock);
    return;
  }
  const auto& complete = std::get<Complete>(operation);
  if (complete.is_all()) {
    add(Kind::wait);
  } else {
    Step& step = add(Kind::wait_some);
    step.requests = static_cast<std::int32_t>(complete.count);
    step.oldest = static_cast<std::uint32_t>(complete.oldest);
  }
}

void BodyCompiler::add_collective(const Collective& collective) {
  if (compiler_.decisions_of(rank_) == nullptr && collective == Collective{}) {
    add(Kind::barrier).seconds = compiler_.barrier_s(rank_);
    return;
  }
  CompiledBody::CollectiveStep step = compiler_.collective_step(collective, body_, rank_);
  const bool makes_request = finegrain::makes_request(collective);
  if (!makes_request && step.call.ranks == 1) return;
  add(makes_request ? Kind::start_collective : Kind::collective).collective =
      static_cast<std::uint32_t>(program_.collectives.size());
  program_.collectives.push_back(step);
}

void BodyCompiler::add_two_sided(const Post& post) {
  open(1);
  if (post.kind == TransferKind::send) {
    add_send(post);
  } else {
    const std::uint32_t connection = compiler_.connection(post.peer, rank_, post);
    const bool is_local = same_node(post.peer);
    Step& step = add(is_local ? Kind::collect : Kind::receive);
    step.any_source = post.any_source;
    step.peer = post.peer;
    step.latency_s = is_local ? 0 : compiler_.latency_s(connection);
    step.connection = connection;
  }
  if (!post.blocking) return;
  Step& step = add(Kind::wait_some);
  step.requests = 1;
  step.oldest = 1;
  add(Kind::close).requests = 1;
}

bool BodyCompiler::is_buffered(const Post& post) const {
  return costs_.buffered_limit_bytes && static_cast<double>(post.size_bytes) <= *costs_.buffered_limit_bytes;
}

float BodyCompiler::more_latency_s(const Post& post) {
  const auto size_bytes = static_cast<double>(post.size_bytes);
  const By by = compiler_.rails_of(size_bytes);
  if (costs_.latency_factors.empty() && by == By::one_rail) return 0;
  const double factor = costs_.latency_factors.of(size_bytes);
  const double of_route_s = compiler_.latency_s(rank_, post.peer);
  if (by == By::one_rail) return static_cast<float>((factor - 1) * of_route_s);
  return static_cast<float>(factor * compiler_.latency_s(rank_, post.peer, by) - of_route_s);
}

void BodyCompiler::add_rails(Step& step, const Post& post) {
  step.is_striped = compiler_.rails_of(static_cast<double>(post.size_bytes)) == By::all_rails;
  if (step.is_striped) compiler_.route(rank_, post.peer, By::all_rails);  // so that it is known
  step.more_latency_s = more_latency_s(post);
}

void BodyCompiler::add_send(const Post& post) {
  const auto repeat = static_cast<double>(post.repeat);
  const double bytes = repeat * static_cast<double>(post.size_bytes);
  const std::optional<double>& eager_bytes = costs_.eager_limit_bytes;
  const bool waits_for_receiver =
      post.is_synchronous ||
      (!post.is_buffered && eager_bytes && static_cast<double>(post.size_bytes) > *eager_bytes);
  const bool is_local = same_node(post.peer);
  if (is_local && copies_beside(post)) {
    Step& step = add(waits_for_receiver ? Kind::offer_copy : Kind::copy);
    step.peer = post.peer;
    step.bytes = copy_volume(bytes, costs_);
    step.latency_s = costs_.local_latency_s;
    step.connection = compiler_.connection(rank_, post.peer, post);
    return;
  }
  if (is_local)
    add_own_copy(bytes, post.peer);
  else
    add_delay(repeat * costs_.message_overhead_s);
  if (waits_for_receiver && post.peer != rank_) {
    Step& step = add(Kind::offer);
    step.is_buffered = !is_local && is_buffered(post);
    step.peer = post.peer;
    step.bytes = bytes;
    step.latency_s = is_local ? costs_.local_latency_s : compiler_.latency_s(post.peer, rank_);
    step.connection = compiler_.connection(rank_, post.peer, post);
    if (!is_local) add_rails(step, post);
  } else if (is_local) {
    Step& step = add(Kind::deliver);
    step.peer = post.peer;
    step.bytes = bytes;
    step.latency_s = post.peer == rank_ ? 0 : costs_.local_latency_s;
    step.connection = compiler_.connection(rank_, post.peer, post);
  } else {
    Step& step = add(Kind::send);
    step.is_buffered = post.is_buffered || is_buffered(post);
    step.peer = post.peer;
    step.bytes = bytes;
    step.connection = compiler_.connection(rank_, post.peer, post);
    add_rails(step, post);
  }
}

}  // namespace finegrain::replay
