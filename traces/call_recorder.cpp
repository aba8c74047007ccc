// SPDX-License-Identifier: MIT
#include "traces/call_recorder.hpp"

#include "traces/call_encoder.hpp"
#include "traces/chunk_recording.hpp"

namespace finegrain {

class CallRecorder::State : public ChunkRecording<CallEncoder> {
 public:
  using ChunkRecording::ChunkRecording;
};

CallRecorder::CallRecorder(const std::filesystem::path& folder, int rank, std::int64_t resolution_ns)
    : state_(std::make_unique<State>(resolution_ns, folder, rank)) {}

CallRecorder::~CallRecorder() {
  state_->file().be_silent();
  state_->finish();
}

std::uint32_t CallRecorder::define_function(std::string_view name) {
  std::uint32_t number = 0;
  state_->note([&](CallEncoder& encoder) { number = encoder.define_function(name); });
  return number;
}

std::int32_t CallRecorder::define_communicator(std::uint64_t identity, std::span<const std::int32_t> ranks) {
  std::int32_t number = 0;
  state_->note([&](CallEncoder& encoder) { number = encoder.define_communicator(identity, ranks); });
  return number;
}

void CallRecorder::call(const CallSignature& signature, std::int64_t start_ns, std::int64_t end_ns) {
  polls(signature, 0, start_ns, end_ns);
}

void CallRecorder::polls(const CallSignature& signature, std::uint64_t count, std::int64_t start_ns,
                         std::int64_t end_ns) {
  state_->add({start_ns, end_ns},
              [&](CallEncoder& encoder) { encoder.add(signature, count, start_ns, end_ns); });
}

void CallRecorder::waited_for_core(std::int64_t lost_ns) {
  state_->note([&](CallEncoder& encoder) { encoder.add_wait_for_core(lost_ns); });
}

void CallRecorder::flush() {
  state_->flush();
}

void CallRecorder::flush_older_than(std::int64_t time_ns) {
  state_->flush_older_than(time_ns);
}

void CallRecorder::note_open_call(const CallInProgress& call) {
  state_->note([&](CallEncoder&) { state_->file().note(call); });
}

std::uint64_t CallRecorder::chunks() const {
  return state_->file().chunks();
}

void CallRecorder::stop(const char* reason) {
  state_->file().stop(reason);
}

bool CallRecorder::has_failed() const {
  return !state_->goes_on();
}

bool CallRecorder::finish() {
  return state_->finish();
}

}  // namespace finegrain
