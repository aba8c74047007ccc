// SPDX-License-Identifier: MIT
// Makes one program of the calls of several threads. An example: thread 1 is in MPI_Recv from 0 to 10 ms, and
// thread 2 sends at 3 ms. One after the other, in either order, would let the send wait for the receive, or
// begin the receive too late. So the program is
//
//     at 0 ms    receive, without waiting
//     at 3 ms    send
//     at 10 ms   wait for the receive
//
// Calls of all threads are read in the order of the file, and given in the order of their times.
#include "traces/threads_in_one_order.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

/// Parts that are kept; programs whose tags count on make ever new ones.
constexpr std::size_t most_known = 4096;

bool begins(const Operation& operation) {
  return std::holds_alternative<Post>(operation) || std::holds_alternative<Collective>(operation);
}

/// What a blocking operation begins.
Operation posted(Operation operation) {
  if (auto* post = std::get_if<Post>(&operation)) {
    post->blocking = false;
  } else if (auto* collective = std::get_if<Collective>(&operation)) {
    collective->posted = collective->blocking;
  }
  return operation;
}

std::uint64_t between_ns(std::int64_t start_ns, std::int64_t end_ns) {
  return static_cast<std::uint64_t>(end_ns) - static_cast<std::uint64_t>(start_ns);
}

/// The operations of the call's own region, after that of the work before it.
std::span<const Operation> operations_of(const Shape& shape) {
  return shape.body.operations_of(shape.body.regions.back());
}

}  // namespace

ThreadsInOneOrder::ThreadsInOneOrder(RankFileReader file) : file_(std::move(file)) {
  RankFileReader calls = file_;
  try {
    while (const Decoded* call = calls.next()) {
      const auto [thread, is_new] = threads_.try_emplace(call->thread, Thread{.number = call->thread});
      if (is_new) events_[{call->times.regions.back().start_ns, 0, call->thread}] = &thread->second;
      ++thread->second.calls_left;
    }
  } catch (const InputError&) {  // next() says so when it comes there
  }
}

const Decoded* ThreadsInOneOrder::next() {
  while (true) {
    while (unknown_ > 0)
      read_on();
    if (events_.empty()) return file_.next();  // the end, or why it cannot be read further
    const auto [when, of_thread] = *events_.begin();
    events_.erase(events_.begin());
    Thread& thread = *of_thread;
    while (thread.read.empty())
      read_on();
    pass_time(std::get<0>(when));
    const bool is_start = std::get<1>(when) == 0;
    if (is_start ? begin(thread) : end(thread)) return &decoded_;
  }
}

/// @pre calls are left
void ThreadsInOneOrder::read_on() {
  const Decoded& decoded = *file_.next();
  Thread& thread = threads_.at(decoded.thread);
  Interval time = decoded.times.regions.back();
  time.end_ns = std::max(time.start_ns, time.end_ns);
  Call call{.shape = decoded.shape,
            .number = calls_++,
            .time = time,
            .lost_ns = decoded.lost_ns,
            .polls = decoded.calls,
            .first_request = requests_};
  for (const Operation& operation : operations_of(*call.shape)) {
    const auto* work = std::get_if<Work>(&operation);
    call.is_timed = call.is_timed || (work != nullptr && work->is_timed);
    call.begins = call.begins || begins(operation);
    call.waits = call.waits || !begins(operation) || !makes_request(operation);
    const auto* collective = std::get_if<Collective>(&operation);
    call.is_apart = call.is_apart || (collective != nullptr && collective->blocking &&
                                      waits_depend_on_algorithm(collective->kind));
  }
  requests_ += call.shape->requests;
  --thread.calls_left;
  thread.read.push_back(std::move(call));
  if (thread.has_begun && thread.read.size() == 1) {
    --unknown_;
    expect_start(thread);
  }
}

/// The thread works until then. @pre its next call was read
void ThreadsInOneOrder::expect_start(Thread& thread) {
  Call& call = thread.read.front();
  call.time.start_ns = std::max(call.time.start_ns, thread.last_end_ns);
  call.time.end_ns = std::max(call.time.end_ns, call.time.start_ns);
  const auto gap_ns = static_cast<double>(between_ns(thread.last_end_ns, call.time.start_ns));
  thread.share = gap_ns > 0 ? 1 - std::clamp(static_cast<double>(call.lost_ns) / gap_ns, 0., 1.) : 0;
  if (thread.share > 0) ++working_;
  shares_ += thread.share;
  events_[{call.time.start_ns, 0, thread.number}] = &thread;
}

/// @returns whether a part was given
bool ThreadsInOneOrder::begin(Thread& thread) {
  Call& call = thread.read.front();
  shares_ -= thread.share;
  if (std::exchange(thread.share, 0) > 0) --working_;
  if (working_ == 0) shares_ = 0;  // without what was rounded
  thread.has_begun = true;
  const When end{call.time.end_ns, 1, call.number};
  if (!call.is_apart && working_ == 0 && (events_.empty() || end < events_.begin()->first)) {
    give(call, Part::whole);
    now_ns_ = call.time.end_ns;
    end_call(thread);
    return true;
  }
  events_[end] = &thread;
  if (call.is_timed) ++timed_calls_;
  if (call.begins) give(call, Part::begin);
  return call.begins;
}

/// @returns whether a part was given
bool ThreadsInOneOrder::end(Thread& thread) {
  Call& call = thread.read.front();
  if (call.is_timed) --timed_calls_;
  const bool is_given = call.waits || !call.begins;
  if (is_given) give(call, Part::end);
  end_call(thread);
  return is_given;
}

/// The thread's call is over.
void ThreadsInOneOrder::end_call(Thread& thread) {
  thread.last_end_ns = thread.read.front().time.end_ns;
  thread.read.pop_front();
  if (!thread.read.empty()) {
    expect_start(thread);
  } else if (thread.calls_left > 0) {
    ++unknown_;
  } else {
    threads_.erase(thread.number);
  }
}

void ThreadsInOneOrder::pass_time(std::int64_t until_ns) {
  const std::uint64_t passed_ns = between_ns(now_ns_.value_or(until_ns), until_ns);
  now_ns_ = until_ns;
  if (working_ > 0) {
    work_ns_ += passed_ns;
    lost_ns_ += static_cast<double>(passed_ns) * (1 - std::min(shares_, 1.));
  } else if (timed_calls_ > 0) {
    timed_ns_ += passed_ns;
  }
}

void ThreadsInOneOrder::give(Call& call, Part part) {
  const Shape& shape = *call.shape;
  const bool has_work = work_ns_ > 0 || (part == Part::whole && shape.body.regions.size() == 2);
  make_requests(call, part);
  if (known_.size() > most_known) known_.clear();
  std::shared_ptr<const Shape>& known = known_[{call.shape, part, has_work, waits_}];
  if (known == nullptr) {
    Body body = this->body(call, part, has_work);
    known = body == shape.body ? call.shape : std::make_shared<const Shape>(std::move(body));
  }
  decoded_.shape = known;
  decoded_.calls = call.polls;
  decoded_.lost_ns = has_work ? std::llround(std::exchange(lost_ns_, 0)) : 0;
  decoded_.times.regions.clear();
  if (has_work) decoded_.times.regions.push_back({0, static_cast<std::int64_t>(std::exchange(work_ns_, 0))});
  Interval time = call.time;
  if (part == Part::begin) time = {};
  if (part == Part::end && call.is_timed) time = {0, static_cast<std::int64_t>(std::exchange(timed_ns_, 0))};
  decoded_.times.regions.push_back(time);
}

/// Numbers the requests that the part makes, and finds those that it waits for.
void ThreadsInOneOrder::make_requests(Call& call, Part part) {
  waits_.clear();
  if (part == Part::end) wait_for(call.posted);
  std::int64_t request = call.first_request;
  for (const Operation& operation : operations_of(*call.shape)) {
    const auto* complete = std::get_if<Complete>(&operation);
    if (complete != nullptr && part != Part::begin) wait_for(*complete, request);
    if (makes_request(operation)) {
      if (part != Part::end) open_[request] = made_++;
      ++request;
    } else if (part == Part::begin && makes_request(posted(operation))) {
      call.posted.push_back(made_++);
    }
  }
}

void ThreadsInOneOrder::wait_for(const Complete& complete, std::int64_t requests_before) {
  if (complete.is_all()) {
    waits_.insert(waits_.end(), {1, 0, 0});
    open_.clear();
    return;
  }
  const auto first = open_.lower_bound(requests_before - complete.oldest);
  const auto after = open_.lower_bound(requests_before - complete.oldest + complete.count);
  std::vector<std::int64_t> requests;
  for (auto request = first; request != after; ++request)
    requests.push_back(request->second);
  open_.erase(first, after);
  std::ranges::sort(requests);
  wait_for(requests);
}

/// @param requests  in the program, in their order
void ThreadsInOneOrder::wait_for(std::vector<std::int64_t>& requests) {
  const std::size_t place = waits_.size();
  waits_.push_back(0);
  for (std::size_t first = 0, after = 0; first < requests.size(); first = after) {
    while (after < requests.size() &&
           requests[after] - requests[first] == static_cast<std::int64_t>(after - first))
      ++after;
    ++waits_[place];
    waits_.insert(waits_.end(), {made_ - requests[first], static_cast<std::int64_t>(after - first)});
  }
}

/// As `waits_` says.
Body ThreadsInOneOrder::body(const Call& call, Part part, bool has_work) const {
  const Body& own = call.shape->body;
  Body body;
  if (has_work) body.add_region(regions::compute, Work{.is_timed = true});
  body.begin_region(own.regions.back().name);
  body.sizes = own.sizes;
  auto wait = waits_.begin();
  const auto add_waits = [&] {
    for (std::int64_t runs = *wait++; runs > 0; --runs, wait += 2)
      body.add(Complete{*wait, *(wait + 1)});
  };
  if (part == Part::end) add_waits();
  for (const Operation& operation : operations_of(*call.shape)) {
    if (part != Part::whole && begins(operation) != (part == Part::begin)) continue;
    if (std::holds_alternative<Complete>(operation)) {
      add_waits();
    } else {
      body.add(part == Part::begin ? posted(operation) : operation);
    }
  }
  return body;
}

}  // namespace finegrain
