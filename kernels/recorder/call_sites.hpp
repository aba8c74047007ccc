// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/recorder/python_frames.hpp"
#include "traces/call_frame.hpp"
#include "traces/call_recorder.hpp"

namespace finegrain::recorder {

/// Where in the program calls are made: chains of return addresses, each kept once in the trace. Walking up
/// the stack takes microseconds, so that a chain that was walked is remembered with the places in the stack
/// that held its addresses. If the next call from the same frame finds them there again, it has the same
/// chain. In a chain through Python's interpreter, the functions of Python that it executes stand before its
/// own.
class CallSites {
 public:
  static constexpr int most_frames = 32;
  static constexpr int default_frames = 20;  ///< enough to leave a solver of PETSc, the deepest wrapper tried

  /// @param recorder  outlives this
  explicit CallSites(CallRecorder& recorder);

  /// The number that the innermost open call's place has in the trace, for CallSignature::place(); none if
  /// places are not recorded.
  std::optional<std::uint32_t> of_open_call(std::uint32_t thread) {
    return frames_ == 0 ? std::nullopt : of_call(thread);
  }
  /// One frame for CallInProgress; of no object if places are not recorded.
  CallFrame frame_of(const void* address) const;

 private:
  struct Chain {
    const char* frame = nullptr;  ///< the called function's; none: empty
    std::uint32_t thread = 0;
    std::uint32_t number = 0;
    int count = 0;
    std::array<const void*, most_frames> addresses{};
    std::array<std::ptrdiff_t, most_frames> slots{};  ///< where the stack held them, from `frame` on
    bool has_python = false;
    std::vector<PythonFrame> python;
  };
  std::optional<std::uint32_t> of_call(std::uint32_t thread);
  bool is_same(const Chain& chain, const char* frame, std::uint32_t thread);
  /// Whether a frame is the interpreter's: then the chain gets Python's frames.
  bool meets_python(Chain& chain, const LoadedFile& file);
  std::string text_of(Chain& chain);
  std::string text_of(const void* address, const LoadedFile& file);
  std::string text_of(const PythonFrame& frame);

  CallRecorder& recorder_;
  int frames_;                ///< a chain has no more; 0: none are recorded
  int places_ = 0;            ///< different ones so far
  std::uint32_t newest_ = 0;  ///< number in the trace
  std::unique_ptr<Chain[]> known_;
  PythonFrames python_;
  std::vector<PythonFrame> python_now_;  ///< for is_same()
  /// Numbers in the trace, by where the files are loaded, and from where.
  std::map<std::pair<const void*, std::string>, std::uint32_t> objects_;
};

}  // namespace finegrain::recorder
