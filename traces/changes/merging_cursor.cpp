// SPDX-License-Identifier: MIT
#include "traces/changes/merging_cursor.hpp"

#include <algorithm>
#include <utility>

#include "traces/changes/joined_bodies.hpp"

namespace finegrain::changes {
namespace {

MessageChannel channel_of(const Post& post) {
  return {post.peer, post.communicator, post.tag, post.kind == TransferKind::put};
}

/// Whether it says nothing of messages or requests.
bool is_untouched(const Body& body) {
  return std::ranges::none_of(body.operations, [](const Operation& operation) {
    return std::holds_alternative<Post>(operation) || std::holds_alternative<Complete>(operation) ||
           makes_request(operation);
  });
}

std::size_t hash_of_made(const Body& body) {
  std::size_t hash = body.operations.size() * 31 + body.regions.size();
  for_each_post(body.operations, [&](const Post& post) {
    hash = hash * 1'000'003 + static_cast<std::size_t>(post.size_bytes);
    hash = hash * 1'000'003 + static_cast<std::size_t>(post.peer);
  });
  return hash;
}

}  // namespace

const MergedPost* MergingCursor::Direction::next(const Post& post) {
  const auto found = channels.find(channel_of(post));
  if (found == channels.end()) return nullptr;
  const std::size_t place = places[channel_of(post)]++;
  return place < found->second.size() && found->second[place].is_merged() ? &found->second[place] : nullptr;
}

const Loop* MergingCursor::next() {
  while (left_ > 0 || read()) {
    if (is_untouched(*body_)) {
      loop_ = {body_, std::exchange(left_, 0), body_regions_s_};
      return &loop_;
    }
    --left_;
    if (const Loop* loop = pass_once()) return loop;
  }
  return nullptr;
}

bool MergingCursor::read() {
  const Loop* loop = program_->next();
  if (loop == nullptr) return false;
  body_ = loop->body;
  body_regions_s_.assign(loop->regions_s.begin(), loop->regions_s.end());
  left_ = loop->count;
  return true;
}

const Loop* MergingCursor::pass_once() {
  Body body;
  regions_s_.clear();
  for (std::size_t r = 0; r < body_->regions.size(); ++r) {
    const Region& region = body_->regions[r];
    operations_.clear();
    for (const Operation& operation : body_->operations_of(region))
      pass(operation);
    if (operations_.empty() && region.operation_count > 0) continue;
    append_region(body, region.name, operations_, body_->sizes);
    regions_s_.push_back(r < body_regions_s_.size() ? body_regions_s_[r] : 0);
  }
  if (body.regions.empty()) return nullptr;
  loop_ = {made(std::move(body)), 1, regions_s_};
  return &loop_;
}

std::shared_ptr<const Body> MergingCursor::made(Body body) {
  if (body == *body_) return body_;
  const std::size_t hash = hash_of_made(body);
  const auto [first, last] = made_.equal_range(hash);
  const auto known = std::find_if(first, last, [&](const auto& one) { return *one.second == body; });
  if (known != last) return known->second;
  return made_.emplace(hash, std::make_shared<const Body>(std::move(body)))->second;
}

void MergingCursor::pass(const Operation& operation) {
  if (const auto* complete = std::get_if<Complete>(&operation)) {
    pass_complete(*complete);
  } else if (const auto* post = std::get_if<Post>(&operation);
             post != nullptr && (is_two_sided(post->kind) || post->kind == TransferKind::put)) {
    post->kind == TransferKind::receive ? pass_receive(*post) : pass_send(*post);
  } else {
    operations_.push_back(operation);
    if (makes_request(operation)) open_[before_++] = {.number = after_++};
  }
}

void MergingCursor::add(const Post& post) {
  operations_.emplace_back(post);
  if (makes_request(post)) open_[before_++] = {.number = after_++};
}

void MergingCursor::pass_send(const Post& post) {
  const MergedPost* const merged = sends_.next(post);
  if (merged == nullptr) return add(post);
  if (merged->is_dropped) {
    if (makes_request(post)) dropped_[merged->group].push_back(before_++);
    return;
  }
  const auto dropped = dropped_.extract(merged->group);
  add_merged(post, *merged);
  if (!makes_request(post) || dropped.empty()) return;
  for (const std::int64_t number : dropped.mapped())
    open_[number] = open_[before_ - 1];
}

void MergingCursor::add_merged(Post post, const MergedPost& merged) {
  post.size_bytes = merged.size_bytes;
  post.tag = merged.tag;
  post.repeat = 1;
  add(post);
  if (!makes_request(post)) return;
  Request& request = open_[before_ - 1];
  request.is_merged = true;
  merged_open_.insert(request.number);
}

void MergingCursor::pass_receive(const Post& post) {
  const MergedPost* const merged = receives_.next(post);
  if (merged == nullptr) return add(post);
  const auto [group, is_first] = received_.try_emplace(merged->group, Received{.left = merged->group_size});
  Received& received = group->second;
  if (is_first) {
    add_merged(post, *merged);
    if (makes_request(post)) received.request = open_[before_ - 1].number;
  } else if (makes_request(post)) {
    if (received.request) open_[before_] = {.number = *received.request, .is_merged = true};
    ++before_;
  } else if (received.request) {
    wait_for({{.number = *received.request, .is_merged = true}});
  }
  if (--received.left == 0) received_.erase(group);
}

void MergingCursor::pass_complete(const Complete& complete) {
  if (complete.is_all()) {
    operations_.emplace_back(complete);
    open_.clear();
    merged_open_.clear();
    return;
  }
  if (complete.count == 0) {
    operations_.emplace_back(complete);
    return;
  }
  std::vector<Request> requests;
  const std::int64_t oldest = before_ - complete.oldest;
  const auto first = open_.lower_bound(oldest);
  const auto last = open_.lower_bound(oldest + complete.count);
  for (auto request = first; request != last; ++request)
    requests.push_back(request->second);
  open_.erase(first, last);
  wait_for(requests);
}

void MergingCursor::wait_for(const std::vector<Request>& requests) {
  std::vector<std::int64_t> numbers;
  for (const Request& request : requests)
    if (!request.is_merged || merged_open_.erase(request.number) > 0) numbers.push_back(request.number);
  std::ranges::sort(numbers);
  for (std::size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    const auto count = [&] { return static_cast<std::int64_t>(end - begin); };
    while (end < numbers.size() && numbers[end] == numbers[begin] + count())
      ++end;
    operations_.emplace_back(Complete{.oldest = after_ - numbers[begin], .count = count()});
  }
}

}  // namespace finegrain::changes
