// SPDX-License-Identifier: MIT
#include "kernels/recorder/python_frames.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/recorder/looked_up.hpp"
#include "traces/operation.hpp"

namespace finegrain::recorder {
namespace {

constexpr std::size_t most_frames = 8;
/// Where every object of the interpreter keeps its type.
constexpr std::ptrdiff_t type_of_object = 8;
constexpr std::size_t longest_function = 80;
/// The owner of a frame that stands for a function of C which calls Python's.
constexpr char owned_by_c = 3;

template <typename Value>
Value value_at(const void* start, std::ptrdiff_t offset) {
  Value value;
  std::memcpy(&value, static_cast<const char*>(start) + offset, sizeof value);
  return value;
}

template <typename Function>
bool find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(look_up(RTLD_DEFAULT, name));
  return function != nullptr;
}

}  // namespace

/// Offsets in bytes. Source: Include/cpython/pystate.h, code.h and Include/internal/pycore_frame.h of each
/// version, on processors of 64 bits, as offsetof() gives them.
struct PythonFrames::Layout {
  unsigned long version;  ///< 0x030b: 3.11
  // PyThreadState and _PyCFrame
  std::ptrdiff_t of_thread;         ///< a thread's current frame, or what holds that
  std::ptrdiff_t in_what_holds_it;  ///< negative: nothing is between
  // _PyInterpreterFrame
  std::ptrdiff_t code;
  std::ptrdiff_t previous;
  std::ptrdiff_t instruction;
  std::ptrdiff_t owner;
  // PyCodeObject
  std::ptrdiff_t first_line;
  std::ptrdiff_t file;
  std::ptrdiff_t name;
  std::ptrdiff_t first_instruction;
};

const PythonFrames::Layout* PythonFrames::layout_of(unsigned long version) {
  static constexpr Layout known[] = {
      {0x030b, 56, 8, 32, 48, 56, 69, 72, 112, 120, 184},
      {0x030c, 56, 0, 0, 8, 56, 70, 68, 112, 120, 192},
      {0x030d, 72, -1, 0, 8, 56, 70, 68, 112, 120, 200},
  };
  constexpr unsigned long is_final = 0xf;
  if (sizeof(void*) != 8 || (version >> 4U & 0xfU) != is_final) return nullptr;
  const auto* const found = std::ranges::find(known, version >> 16U, &Layout::version);
  return found == std::end(known) ? nullptr : found;
}

/// Those of the interpreter. The first four change nothing and do not need its lock; PyCode_Addr2Line() only
/// reads the table of lines, which lives as long as the code.
struct PythonFrames::Functions {
  void* (*thread_state)();
  int (*line_of_instruction)(const void* code, int byte);
  std::ptrdiff_t (*length_of)(const void* string);
  std::uint32_t (*character_of)(const void* string, std::ptrdiff_t index);
  int (*has_lock)();
  void* (*frame_of_thread)(void* thread);
  void* (*code_of)(void* frame);
  void* (*frame_before)(void* frame);
  int (*byte_of)(void* frame);
  void (*release)(void* object);
  const void* type_of_code;
  const char* (*version)();

  static const Functions* look_up_all() {
    static Functions all;
    static const bool found =
        find(all.thread_state, "PyGILState_GetThisThreadState") &&
        find(all.line_of_instruction, "PyCode_Addr2Line") && find(all.length_of, "PyUnicode_GetLength") &&
        find(all.character_of, "PyUnicode_ReadChar") && find(all.has_lock, "PyGILState_Check") &&
        find(all.frame_of_thread, "PyThreadState_GetFrame") && find(all.code_of, "PyFrame_GetCode") &&
        find(all.frame_before, "PyFrame_GetBack") && find(all.byte_of, "PyFrame_GetLasti") &&
        find(all.release, "Py_DecRef") && find(all.type_of_code, "PyCode_Type") &&
        find(all.version, "Py_GetVersion");
    return found ? &all : nullptr;
  }
};

PythonFrames::PythonFrames() {
  const unsigned long* version = nullptr;
  if (!find(version, "Py_Version")) return;  // there since 3.11
  layout_ = layout_of(*version);
  functions_ = layout_ == nullptr ? nullptr : Functions::look_up_all();
  if (functions_ == nullptr) return;
  // Without the lock, objects look different.
  if (std::strstr(functions_->version(), "free-threading") != nullptr) return;
  interpreter_ = file_of(reinterpret_cast<const void*>(functions_->thread_state)).start;
}

void PythonFrames::read(std::vector<PythonFrame>& frames) {
  frames.clear();
  if (interpreter_ == nullptr) return;
  if (!is_checked_) {
    if (functions_->has_lock() == 0) return;
    if (!is_as_the_interpreter_says()) {
      interpreter_ = nullptr;
      return;
    }
    is_checked_ = true;
  }
  read_unchecked(frames);
}

void PythonFrames::read_unchecked(std::vector<PythonFrame>& frames) const {
  const void* const thread = functions_->thread_state();
  if (thread == nullptr) return;
  const void* frame = value_at<const void*>(thread, layout_->of_thread);
  if (layout_->in_what_holds_it >= 0 && frame != nullptr)
    frame = value_at<const void*>(frame, layout_->in_what_holds_it);
  for (; frame != nullptr && frames.size() < most_frames;
       frame = value_at<const void*>(frame, layout_->previous)) {
    const char* const code = value_at<const char*>(frame, layout_->code);
    const char* const instruction = value_at<const char*>(frame, layout_->instruction);
    if (value_at<char>(frame, layout_->owner) == owned_by_c ||
        value_at<const void*>(code, type_of_object) != functions_->type_of_code)
      continue;
    if (instruction < code + layout_->first_instruction) continue;  // it has not begun
    frames.push_back({code, instruction, value_at<const void*>(code, layout_->name),
                      value_at<int>(code, layout_->first_line)});
  }
}

bool PythonFrames::is_as_the_interpreter_says() const {
  std::vector<PythonFrame> frames;
  read_unchecked(frames);
  if (frames.empty()) return false;
  void* said = functions_->frame_of_thread(functions_->thread_state());
  std::size_t same = 0;
  for (; said != nullptr && same < frames.size(); ++same) {
    const PythonFrame& frame = frames[same];
    void* const code = functions_->code_of(said);
    const bool is_same =
        code == frame.code &&
        frame.instruction - frame.code - layout_->first_instruction == functions_->byte_of(said) &&
        functions_->line_of_instruction(code, -1) == frame.first_line;
    functions_->release(code);
    if (!is_same) break;
    void* const before = functions_->frame_before(said);
    functions_->release(said);
    said = before;
  }
  if (said != nullptr) functions_->release(said);
  return same == frames.size();
}

std::string PythonFrames::text_of(const void* string) const {
  std::string text;
  const std::ptrdiff_t length = functions_->length_of(string);
  for (std::ptrdiff_t n = 0; n < length; ++n) {
    const std::uint32_t character = functions_->character_of(string, n);
    text += character < ' ' || character > '~' ? '?' : static_cast<char>(character);
  }
  return text;
}

std::string PythonFrames::object_name(const PythonFrame& frame) const {
  std::string name("@python:");
  name.append(text_of(frame.name), 0, longest_function).append(" ");
  const std::string path = text_of(value_at<const void*>(frame.code, layout_->file));
  const std::size_t room = RegionName::longest - name.size();
  return name.append(path, path.size() - std::min(path.size(), room));
}

int PythonFrames::line_of(const PythonFrame& frame) const {
  const auto byte = static_cast<int>(frame.instruction - frame.code - layout_->first_instruction);
  return functions_->line_of_instruction(frame.code, byte);
}

}  // namespace finegrain::recorder
