// SPDX-License-Identifier: MIT
#include "traces/call_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "traces/io/input_error.hpp"
#include "traces/operation_code.hpp"
#include "traces/operation_reader.hpp"
#include "traces/take.hpp"

namespace finegrain {
namespace {

/// Bound shapes that are kept; programs whose tags count on make ever new ones.
constexpr std::size_t most_bound_shapes = 4096;
constexpr auto no_wait = static_cast<std::uint64_t>(-1);

/// "MPI_Isend halo.c:88"
RegionName name_at(RegionName function, std::string_view place) {
  std::string text = fmt::format("{} {}", function.text(), place);
  text.resize(std::min(text.size(), RegionName::longest));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  try {
    return RegionName(text);
  } catch (const InputError& error) {
    throw ChunkError(error.what());
  }
}

}  // namespace

void CallDecoder::open(std::vector<std::byte> content, Signatures signatures_used) {
  content_ = std::move(content);
  std::span<const std::byte> rest(content_);
  last_end_ticks_ = static_cast<std::uint64_t>(take_signed(rest));
  tick_ns_ = finegrain::take(rest);
  undecoded_.clear();
  uses_left_.clear();
  begins_anew_ = finegrain::take(rest) != 0;
  if (begins_anew_) {
    signatures_.clear();
    shapes_.clear();
  }
  const std::size_t functions = take_count(rest, 2);
  const std::size_t communicators = take_count(rest, 2);
  const std::size_t signatures = take_count(rest, 2);
  ContentParts parts(rest, 3 + 5 * planes_of_a_column);
  std::array<std::span<const std::byte>, 3> tables;
  for (auto& table : tables)
    table = parts.take();
  for (ColumnReader* column : {&calls_, &gaps_, &lengths_, &polls_, &waits_})
    *column = parts.take_column();
  parts.check_end();
  calls_to_wait_ = waits_.empty() ? no_wait : finegrain::take(waits_);
  const bool decodes_later = signatures_used == Signatures::are_used_here_only && !only_looks_;
  take_tables(tables[0], functions, tables[1], communicators, tables[2], signatures,
              decodes_later ? Decoding::when_used : Decoding::now);
  if (decodes_later) count_uses();
}

void CallDecoder::count_uses() {
  uses_left_.assign(signatures_.size(), 0);
  ColumnReader calls = calls_;
  for (std::uint64_t number = 0; calls.take(number);)
    if (number < uses_left_.size()) ++uses_left_[number];
  for (std::size_t number = 0; number < signatures_.size(); ++number)
    if (uses_left_[number] == 0) signatures_[number].reset();
}

std::shared_ptr<CallDecoder::Signature> CallDecoder::use_signature(std::uint64_t number) {
  if (number >= signatures_.size()) throw ChunkError("a call has a signature that was not defined");
  std::shared_ptr<Signature>& signature = signatures_[number];
  if (!signature) {
    const std::size_t first = signatures_.size() - undecoded_.size();
    if (number < first) throw ChunkError("a call has a signature that was not defined");
    signature = decoded_signature(undecoded_[number - first]);
  }
  if (uses_left_.empty() || --uses_left_[number] > 0) return signature;
  return std::exchange(signature, nullptr);
}

void CallDecoder::take_tables(std::span<const std::byte> functions, std::uint64_t function_count,
                              std::span<const std::byte> communicators, std::uint64_t communicator_count,
                              std::span<const std::byte> signatures, std::uint64_t signature_count,
                              Decoding decoding) {
  for (std::uint64_t f = 0; f < function_count; ++f)
    take_name(functions);
  take_communicators(communicators, communicator_count);
  for (std::uint64_t s = 0; s < signature_count; ++s) {
    const std::span<const std::byte> signature = take_bytes(signatures, take_count(signatures, 1));
    if (only_looks_) {
      look_at(signature);
    } else if (decoding == Decoding::when_used) {
      signatures_.emplace_back();
      undecoded_.push_back(signature);
    } else {
      signatures_.push_back(decoded_signature(signature));
    }
  }
  if (!functions.empty() || !signatures.empty()) throw ChunkError("bytes are left over");
}

void CallDecoder::take_name(std::span<const std::byte>& names) {
  std::span<const std::byte> ahead = names;
  const std::span<const std::byte> bytes = take_bytes(ahead, take_count(ahead, 1));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with('@')) {
    names_.push_back({take_region_name(names)});
    return;
  }
  names = ahead;
  if (text.starts_with("@@")) {
    names_.push_back({std::nullopt, true, named_place(text.substr(2))});
  } else {
    names_.push_back({std::nullopt, false, std::string(text.substr(1))});
  }
}

/// "7+1a2f ? 9+27249"
std::string CallDecoder::named_place(std::string_view chain) const {
  std::vector<CallFrame> frames;
  while (!chain.empty()) {
    const std::string_view word = chain.substr(0, chain.find(' '));
    chain.remove_prefix(std::min(word.size() + 1, chain.size()));
    CallFrame& frame = frames.emplace_back();
    if (word == "?") continue;
    std::size_t object = 0;
    const char* const end = word.data() + word.size();
    const auto [plus, error] = std::from_chars(word.data(), end, object);
    if (error != std::errc() || plus == end || *plus != '+' || object >= names_.size())
      throw ChunkError("a place is of a file that was not defined");
    const auto [rest, address_error] = std::from_chars(plus + 1, end, frame.address, 16);
    const std::string& file = names_[object].text;
    const std::size_t blank = file.find(' ');
    if (address_error != std::errc() || rest != end || names_[object].is_place || blank == std::string::npos)
      throw ChunkError("a place is no list of addresses");
    frame.build_id = file.substr(0, blank);
    frame.object = file.substr(blank + 1);
  }
  return name_place_ ? name_place_(frames) : std::string();
}

/// @returns the name of the place that is next in a call's signature; empty if none is, or places have none
std::string_view CallDecoder::take_place(std::span<const std::byte>& signature) const {
  if (signature.empty() || signature.front() != operation_code::place) return {};
  signature = signature.subspan(1);
  const std::uint64_t number = finegrain::take(signature);
  if (number >= names_.size() || !names_[number].is_place)
    throw ChunkError("a call is of a place that was not defined");
  return names_[number].text;
}

void CallDecoder::take_communicators(std::span<const std::byte> definitions, std::uint64_t count) {
  for (std::uint64_t c = 0; c < count; ++c) {
    const std::uint64_t identity = finegrain::take(definitions);
    std::vector<std::int32_t> ranks(take_count(definitions, 1));
    std::uint64_t next = 0;
    for (std::int32_t& rank : ranks) {
      next += static_cast<std::uint64_t>(take_signed(definitions));
      if (next >= static_cast<std::uint64_t>(ranks_))
        throw ChunkError("a communicator has a rank that is not of the run");
      rank = static_cast<std::int32_t>(next++);
    }
    numbers_.push_back(communicators_->number_of(identity, ranks));
  }
  if (!definitions.empty()) throw ChunkError("bytes are left over");
}

/// Communicators are numbered by each rank on its own in its file, and for all ranks in what is read.
void CallDecoder::number_in_trace(Operation& operation) const {
  const auto number = [&](std::int32_t& communicator) {
    if (communicator < 0 || communicator >= std::ssize(numbers_))
      throw ChunkError("a call uses a communicator that was not defined");
    communicator = numbers_[static_cast<std::size_t>(communicator)];
  };
  if (auto* post = std::get_if<Post>(&operation)) {
    number(post->communicator);
  } else if (auto* collective = std::get_if<Collective>(&operation)) {
    number(collective->communicator);
  } else if (auto* lock = std::get_if<Lock>(&operation)) {
    number(lock->window);
  }
}

void CallDecoder::look_at(std::span<const std::byte> signature) {
  std::span<const std::byte> after_function = signature;
  finegrain::take(after_function);
  has_threads_ =
      has_threads_ || (!after_function.empty() && after_function.front() == operation_code::thread);
  // Most do not contain the byte at all, so they need not be decoded.
  if (std::ranges::find(signature, operation_code::cancel) != signature.end()) decoded_signature(signature);
}

std::shared_ptr<CallDecoder::Signature> CallDecoder::decoded_signature(std::span<const std::byte> bytes) {
  const std::uint64_t function = finegrain::take(bytes);
  if (function >= names_.size() || !names_[function].function)
    throw ChunkError("a call is of a function that was not defined");
  RegionName name = *names_[function].function;
  std::uint64_t thread = 0;
  if (!bytes.empty() && bytes.front() == operation_code::thread) {
    bytes = bytes.subspan(1);
    thread = finegrain::take(bytes);
    if (thread > std::numeric_limits<std::uint32_t>::max())
      throw ChunkError("a thread's number is longer than 32 bits");
    // The calls of the chunks before are of the main thread.
    if (!std::exchange(has_threads_, true)) thread_ends_[0] = last_end_ticks_;
  }
  const std::size_t bytes_with_place = bytes.size();
  const std::string_view place = take_place(bytes);
  const bool has_place = bytes.size() < bytes_with_place;
  if (!place.empty()) name = name_at(name, place);
  Body body;
  body.regions.reserve(2);
  body.operations.reserve(2);
  if (thread == 0) body.add_region(regions::compute, Work{.is_timed = true});
  body.begin_region(name);
  std::string key;
  if (has_place) {
    key = fmt::format("{} {} ", name.text(), thread);
    key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  OperationReader reader(bytes, body.sizes, ranks_);
  std::vector<Binding> bindings;
  std::vector<std::size_t> wildcards;
  std::int64_t requests = 0;
  while (!bytes.empty()) {
    const std::byte code = bytes.front();
    if (code == operation_code::bind || code == operation_code::cancel) {
      bytes = bytes.subspan(1);
      Binding binding{take_number(bytes), requests, -1, 0};
      has_cancelled_ = has_cancelled_ || code == operation_code::cancel;
      if (code == operation_code::bind) {
        binding.peer = take_int(bytes);
        binding.tag = take_int(bytes);
        if (binding.peer < 0 || binding.peer >= ranks_)
          throw ChunkError("a receive took the message of a rank that is not of the run");
      } else if (binding.age == 0) {
        throw ChunkError("a blocking receive is cancelled");
      }
      bindings.push_back(binding);
      continue;
    }
    Operation operation = reader.take_operation();
    number_in_trace(operation);
    if (makes_request(operation)) ++requests;
    const auto* post = std::get_if<Post>(&operation);
    if (post != nullptr && (post->any_source || post->any_tag)) {
      if (post->kind != TransferKind::receive) throw ChunkError("a transfer of any source is no receive");
      wildcards.push_back(body.operations.size());
    }
    body.add(operation);
  }
  std::shared_ptr<const Shape> own;
  std::shared_ptr<const Shape>& shape = has_place ? shapes_[std::move(key)] : own;
  if (!shape) shape = std::make_shared<const Shape>(std::move(body));
  return std::make_shared<Signature>(Signature{.thread = static_cast<std::uint32_t>(thread),
                                               .shape = shape,
                                               .bindings = std::move(bindings),
                                               .wildcards = std::move(wildcards)});
}

std::uint64_t CallDecoder::read() {
  Call call{.signature = use_signature(finegrain::take(calls_)),
            .time = {},
            .gap_ns = 0,
            .polls = finegrain::take(polls_),
            .wildcards = {}};
  Signature& signature = *call.signature;
  if (tick_ns_ != 0) {
    // As in the encoder, times wrap.
    std::uint64_t gap = signature.gap.corrected_by(take_signed(gaps_));
    const std::uint64_t start = last_end_ticks_ + gap;
    const std::uint64_t end = start + signature.length.corrected_by(take_signed(lengths_));
    if (has_threads_) {
      const auto [thread_end, is_first] = thread_ends_.try_emplace(signature.thread, start);
      gap = start - std::exchange(thread_end->second, end);
    }
    call.time = {static_cast<std::int64_t>(start * tick_ns_), static_cast<std::int64_t>(end * tick_ns_)};
    call.gap_ns = static_cast<std::int64_t>(gap * tick_ns_);
    last_end_ticks_ = end;
  }
  if (calls_to_wait_ == 0) {
    call.lost_ns = static_cast<std::int64_t>(std::min(
        finegrain::take(waits_), static_cast<std::uint64_t>(std::max<std::int64_t>(call.gap_ns, 0))));
    calls_to_wait_ = waits_.empty() ? no_wait : finegrain::take(waits_);
  }
  if (calls_to_wait_ != no_wait) --calls_to_wait_;
  const std::int64_t call_number = first_read_ + std::ssize(read_);
  std::int64_t requests = requests_;
  auto wildcard = signature.wildcards.begin();
  const auto cancelled = cancelled_.upper_bound(requests_);
  const bool some_are_cancelled =
      cancelled != cancelled_.end() && *cancelled <= requests_ + signature.shape->requests;
  const std::size_t looked_at = some_are_cancelled            ? signature.shape->body.operations.size()
                                : signature.wildcards.empty() ? 0
                                                              : signature.wildcards.back() + 1;
  for (std::size_t o = 0; o < looked_at; ++o) {
    const Operation& operation = signature.shape->body.operations[o];
    const bool is_request = makes_request(operation);
    if (is_request) ++requests;
    if (wildcard == signature.wildcards.end() || o != *wildcard) {
      if (std::holds_alternative<Post>(operation) && is_request && cancelled_.contains(requests))
        call.wildcards.push_back({o, std::pair<std::int32_t, std::int32_t>(-1, 0)});
      continue;
    }
    // Its request's number; that of a blocking one is none.
    if (is_request) open_receives_[requests] = {call_number, call.wildcards.size()};
    call.wildcards.push_back({o, std::nullopt});
    ++call.unknown;
    ++wildcard;
  }
  if (read_.full()) read_.set_capacity(2 * read_.capacity());
  read_.push_back(std::move(call));
  bind(signature, call_number);
  requests_ += signature.shape->requests;
  return static_cast<std::uint64_t>(signature.shape->all_posts);
}

void CallDecoder::bind(const Signature& signature, std::int64_t call) {
  for (const Binding& binding : signature.bindings) {
    if (binding.age == 0) {
      Call& own = read_.back();
      if (own.wildcards.empty()) throw ChunkError("a call binds a receive that it does not post");
      take(own, own.wildcards.size() - 1, binding.peer, binding.tag);
      continue;
    }
    const std::int64_t request = requests_ + binding.requests_before + 1 - binding.age;
    const auto open = open_receives_.find(request);
    if (open == open_receives_.end()) {  // a receive of one source was cancelled
      if (binding.peer < 0) cancelled_.insert(request);
      continue;
    }
    if (open->second.call >= first_read_ && open->second.call <= call)
      take(read_[static_cast<std::size_t>(open->second.call - first_read_)], open->second.wildcard,
           binding.peer, binding.tag);
    open_receives_.erase(open);
  }
}

void CallDecoder::take(Call& call, std::size_t wildcard, std::int32_t peer, std::int32_t tag) const {
  auto& taken = call.wildcards[wildcard].taken;
  if (!taken) --call.unknown;
  taken = {peer, tag};
}

void CallDecoder::end() {
  for (Call& call : read_) {
    for (std::size_t w = 0; w < call.wildcards.size(); ++w) {
      if (!call.wildcards[w].taken) take(call, w, -1, 0);
    }
  }
  open_receives_.clear();
}

bool CallDecoder::exhausted() const {
  return calls_.empty() && gaps_.empty() && lengths_.empty() && polls_.empty() && waits_.empty();
}

std::shared_ptr<const Shape> CallDecoder::shape_of(const Call& call) {
  if (call.wildcards.empty()) return call.signature->shape;
  std::vector<std::int32_t> taken;
  for (const Wildcard& wildcard : call.wildcards) {
    taken.push_back(static_cast<std::int32_t>(wildcard.operation));
    taken.push_back(wildcard.taken->first);
    taken.push_back(wildcard.taken->second);
  }
  const std::pair key(call.signature->shape, std::move(taken));
  const auto known = bound_.find(key);
  if (known != bound_.end()) return known->second;
  Body body = call.signature->shape->body;
  for (const Wildcard& wildcard : call.wildcards) {
    auto& post = std::get<Post>(body.operations[wildcard.operation]);
    if (wildcard.taken->first < 0) {
      // A receive that never took a message moves nothing, but its request counts.
      post = {.kind = TransferKind::put, .peer = rank_, .size_bytes = 0, .repeat = 0};
      continue;
    }
    post.peer = wildcard.taken->first;
    post.tag = wildcard.taken->second;
  }
  return bound_.emplace(key, std::make_shared<const Shape>(std::move(body))).first->second;
}

bool CallDecoder::next(Decoded& decoded) {
  if (read_.empty() || read_.front().unknown > 0) return false;
  const Call call = std::move(read_.front());
  read_.pop_front();
  ++first_read_;
  if (bound_.size() > most_bound_shapes) bound_.clear();
  decoded.shape = shape_of(call);
  decoded.calls = std::max<std::uint64_t>(call.polls, 1);
  decoded.lost_ns = call.lost_ns;
  decoded.thread = call.signature->thread;
  const Shape& shape = *decoded.shape;
  IterationTimes& times = decoded.times;
  const auto before_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(call.time.start_ns) -
                                                   static_cast<std::uint64_t>(call.gap_ns));
  times.iteration = {shape.body.regions.size() == 2 ? before_ns : call.time.start_ns, call.time.end_ns};
  times.regions.clear();
  if (shape.body.regions.size() == 2) times.regions.push_back({before_ns, call.time.start_ns});
  times.regions.push_back(call.time);
  const auto posts = static_cast<std::size_t>(shape.all_posts);
  times.starts_ns.assign(posts, call.time.start_ns);
  times.ends.clear();
  for (std::size_t post = 0; post < posts; ++post)
    times.ends.push_back({static_cast<std::int32_t>(post), call.time.end_ns});
  return true;
}

}  // namespace finegrain
