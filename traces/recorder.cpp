// SPDX-License-Identifier: MIT
#include "traces/recorder.hpp"

#include <cassert>
#include <vector>

#include "traces/chunk.hpp"
#include "traces/chunk_recording.hpp"

namespace finegrain {
class Recorder::State {
 public:
  State(const std::filesystem::path& folder, int rank, Clock clock_in, std::int64_t resolution_ns)
      : clock(clock_in), recording(resolution_ns, folder, rank) {}

  /// Notes something, while the recording goes on.
  template <typename Note>
  void note(Note note) {
    if (!recording.goes_on()) return;
    recording.note([&](ChunkEncoder&) { note(); });
    if (!recording.goes_on()) give_memory_back();
  }
  void note_end_of_iteration();

  const Clock clock;
  ChunkRecording<ChunkEncoder> recording;
  bool iteration_open = false;
  bool region_open = false;
  Body body;
  IterationTimes times;
  std::vector<std::size_t> posts;  ///< places in body.operations
  std::vector<bool> ended;         ///< shape [posts]

 private:
  void give_memory_back();
};

void Recorder::State::give_memory_back() {
  body = {};
  times = {};
  posts = {};
  ended = {};
}

void Recorder::State::note_end_of_iteration() {
  if (times.ends.size() < posts.size()) {
    for (std::size_t post = 0; post < posts.size(); ++post) {
      if (!ended[post]) times.ends.push_back({static_cast<std::int32_t>(post), times.iteration.end_ns});
    }
  }
  recording.add(times.iteration, [this](ChunkEncoder& encoder) { encoder.add(body, times); });
}

Recorder::Recorder(const std::filesystem::path& folder, int rank, Clock clock, std::int64_t resolution_ns)
    : state_(std::make_unique<State>(folder, rank, clock, resolution_ns)) {}

Recorder::~Recorder() {
  state_->recording.file().be_silent();
  state_->recording.finish();
}

void Recorder::begin_iteration() {
  State& state = *state_;
  if (!state.recording.goes_on()) return;
  assert(!state.iteration_open);
  // Cleared, not freed: after the first iteration nothing is allocated.
  state.body.regions.clear();
  state.body.operations.clear();
  state.body.sizes.clear();
  state.times.regions.clear();
  state.times.starts_ns.clear();
  state.times.ends.clear();
  state.posts.clear();
  state.ended.clear();
  state.iteration_open = true;
  state.times.iteration.start_ns = state.clock();
}

void Recorder::begin_region(RegionName name) {
  State& state = *state_;
  state.note([&] {
    assert(state.iteration_open && !state.region_open);
    state.region_open = true;
    state.body.begin_region(name);
    state.times.regions.push_back({state.clock(), 0});
  });
}

void Recorder::add(const Operation& operation) {
  if (const auto* posted = std::get_if<Post>(&operation)) {
    post(*posted);
    return;
  }
  State& state = *state_;
  state.note([&] {
    assert(state.region_open);
    state.body.add(operation);
  });
}

void Recorder::collective(const Collective& collective, std::span<const std::int64_t> sizes) {
  State& state = *state_;
  state.note([&] {
    assert(state.region_open);
    Collective with_sizes = collective;
    with_sizes.first_size = static_cast<std::int32_t>(state.body.sizes.size());
    with_sizes.size_count = static_cast<std::int32_t>(sizes.size());
    state.body.sizes.insert(state.body.sizes.end(), sizes.begin(), sizes.end());
    state.body.add(with_sizes);
  });
}

int Recorder::post(const Post& post) {
  State& state = *state_;
  const auto number = static_cast<int>(state.posts.size());
  state.note([&] {
    assert(state.region_open);
    state.posts.push_back(state.body.operations.size());
    state.body.add(post);
    state.ended.push_back(false);
    state.times.starts_ns.push_back(state.clock());
  });
  return number;
}

void Recorder::repeat(int post) {
  State& state = *state_;
  if (!state.recording.goes_on()) return;
  ++std::get<Post>(state.body.operations[state.posts[static_cast<std::size_t>(post)]]).repeat;
}

void Recorder::ended(int post) {
  State& state = *state_;
  state.note([&] {
    const auto number = static_cast<std::size_t>(post);
    if (number >= state.ended.size() || state.ended[number]) return;
    state.ended[number] = true;
    state.times.ends.push_back({post, state.clock()});
  });
}

void Recorder::end_region() {
  State& state = *state_;
  if (!state.recording.goes_on()) return;
  assert(state.region_open);
  state.region_open = false;
  state.times.regions.back().end_ns = state.clock();
}

void Recorder::end_iteration() {
  State& state = *state_;
  state.note([&] {
    assert(state.iteration_open && !state.region_open);
    state.iteration_open = false;
    state.times.iteration.end_ns = state.clock();
    state.note_end_of_iteration();
  });
}

bool Recorder::finish() {
  return state_->recording.finish();
}

}  // namespace finegrain
