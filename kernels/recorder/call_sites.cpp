// SPDX-License-Identifier: MIT
#include "kernels/recorder/call_sites.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "kernels/recorder/caller.hpp"
#include "kernels/recorder/depth.hpp"

namespace finegrain::recorder {
namespace {

/// So many chains are remembered, by a hash of where they begin.
constexpr std::size_t known_chains = 512;
/// After so many different chains only the callers are recorded, because a program that calls itself to any
/// depth has no end of chains, and a reader has to keep them all.
constexpr int most_places = 1 << 16;

std::string as_text(std::uintptr_t value, int base) {
  std::array<char, 24> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, base).ptr};
}

/// "7+1a2f": the number of a file's name, and the address in that file.
std::string place_of(std::uint32_t object, std::uintptr_t address) {
  return as_text(object, 10).append("+").append(as_text(address, 16));
}

/// How many frames the environment asks for.
int asked_frames() {
  const char* const asked = std::getenv("FINEGRAIN_CALL_SITES");
  if (asked == nullptr) return CallSites::default_frames;
  int frames = 0;  // "none"
  std::from_chars(asked, asked + std::strlen(asked), frames);
  return std::clamp(frames, 0, CallSites::most_frames);
}

#if defined(__x86_64__)
struct Walk {
  const char* frame;
  int most;
  int count = 0;
  const void** addresses;
  std::ptrdiff_t* slots;
};

/// On this processor, a frame's return address lies right below what its caller had on the stack.
_Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const auto* const slot =
      reinterpret_cast<const char*>(_Unwind_GetCFA(context)) - sizeof(void*);  // NOLINT: an address
  if (slot < walk.frame) return _URC_NO_REASON;                                // the recorder's own
  const void* address = nullptr;
  std::memcpy(&address, slot, sizeof address);
  if (reinterpret_cast<_Unwind_Word>(address) != _Unwind_GetIP(context)) return _URC_END_OF_STACK;
  walk.addresses[walk.count] = address;
  walk.slots[walk.count] = slot - walk.frame;
  return ++walk.count == walk.most ? _URC_END_OF_STACK : _URC_NO_REASON;
}
#endif

std::string program_path() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

/// Parts of a note are at multiples of four bytes.
std::size_t padded(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// The build id that the linker wrote into a loaded file, in hexadecimal digits; "-" if there is none.
std::string build_id_of(const void* start, std::uintptr_t bias) {
  const auto* const header = static_cast<const ElfW(Ehdr)*>(start);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return "-";
  const auto* const segments =
      reinterpret_cast<const ElfW(Phdr)*>(static_cast<const char*>(start) + header->e_phoff);
  for (int s = 0; s < header->e_phnum; ++s) {
    if (segments[s].p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(bias + segments[s].p_vaddr);
    const char* const end = at + segments[s].p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* const name = at + sizeof *note;
      const char* const id = name + padded(note->n_namesz);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        std::string text;
        for (unsigned byte = 0; byte < std::min(note->n_descsz, 20U); ++byte) {
          constexpr std::string_view digits = "0123456789abcdef";
          text += digits[static_cast<unsigned char>(id[byte]) >> 4U];
          text += digits[static_cast<unsigned char>(id[byte]) & 15U];
        }
        return text;
      }
      at = id + padded(note->n_descsz);
    }
  }
  return "-";
}

std::string path_of(const LoadedFile& file) {
  std::string path = *file.path == '\0' ? program_path() : file.path;
  for (char& c : path)
    if (c < ' ' || c > '~') c = '?';
  return path;
}

/// "@<build id> <path>", in as many printable characters as a name may have: of a longer path its end.
std::string object_name(const LoadedFile& file) {
  const std::string path = path_of(file);
  std::string name("@");
  name.append(build_id_of(file.start, file.bias)).append(" ");
  const std::size_t room = RegionName::longest - name.size();
  return name.append(path, path.size() - std::min(path.size(), room));
}

}  // namespace

CallSites::CallSites(CallRecorder& recorder) : recorder_(recorder), frames_(asked_frames()) {
  if (frames_ > 0) known_ = std::make_unique<Chain[]>(known_chains);
}

CallFrame CallSites::frame_of(const void* address) const {
  const LoadedFile file =
      frames_ == 0 || address == nullptr ? LoadedFile() : file_of(static_cast<const char*>(address) - 1);
  if (file.start == nullptr) return {};
  return {path_of(file), build_id_of(file.start, file.bias),
          reinterpret_cast<std::uintptr_t>(address) - file.bias};
}

bool CallSites::is_same(const Chain& chain, const char* frame, std::uint32_t thread) {
  if (chain.frame != frame || chain.thread != thread) return false;
  for (int f = 0; f < chain.count; ++f) {
    const void* address = nullptr;
    std::memcpy(&address, frame + chain.slots[static_cast<std::size_t>(f)], sizeof address);
    if (address != chain.addresses[static_cast<std::size_t>(f)]) return false;
  }
  if (!chain.has_python) return true;
  python_.read(python_now_);
  return chain.python == python_now_;
}

std::optional<std::uint32_t> CallSites::of_call(std::uint32_t thread) {
  const int depth = open_calls.depth;
  if (depth < 1 || depth > most_open_calls) return std::nullopt;
  const char* const frame = open_calls.calls[depth - 1].frame;
  const void* const caller = *return_slot(frame);
  const std::uintptr_t mixed =
      reinterpret_cast<std::uintptr_t>(caller) * 31 + (reinterpret_cast<std::uintptr_t>(frame) >> 4U);
  Chain& chain = known_[(mixed ^ mixed >> 9U) % known_chains];
  if (is_same(chain, frame, thread)) return chain.number;
  chain = {};
  chain.addresses[0] = caller;
  chain.slots[0] = sizeof(void*);
  chain.count = 1;
#if defined(__x86_64__)
  if (frames_ > 1) {
    Walk walk{frame, frames_, 0, chain.addresses.data(), chain.slots.data()};
    _Unwind_Backtrace(visit_frame, &walk);
    // Where the frames cannot be walked, the caller is known all the same.
    chain.count = std::max(walk.count, 1);
    if (walk.count > 0 && chain.addresses[0] != caller) chain.count = 1;
    chain.addresses[0] = caller;
    chain.slots[0] = sizeof(void*);
  }
#endif
  if (places_ == most_places) chain.count = 1;
  chain.number = recorder_.define_function(text_of(chain));
  if (chain.number > newest_ && places_ < most_places) ++places_;
  newest_ = std::max(newest_, chain.number);
  chain.frame = frame;
  chain.thread = thread;
  return chain.number;
}

std::string CallSites::text_of(const void* address, const LoadedFile& file) {
  if (file.start == nullptr) return "?";  // code that the program has made
  const auto [known, is_new] = objects_.try_emplace({file.start, file.path});
  if (is_new) known->second = recorder_.define_function(object_name(file));
  return place_of(known->second, reinterpret_cast<std::uintptr_t>(address) - file.bias);
}

std::string CallSites::text_of(const PythonFrame& frame) {
  return place_of(recorder_.define_function(python_.object_name(frame)),
                  static_cast<std::uintptr_t>(python_.line_of(frame)));
}

bool CallSites::meets_python(Chain& chain, const LoadedFile& file) {
  if (chain.has_python || !python_.are_of(file)) return false;
  chain.has_python = true;
  python_.read(chain.python);
  return true;
}

/// "@@7+1a2f 7+13d0 9+27249"
std::string CallSites::text_of(Chain& chain) {
  std::string text = "@@";
  bool is_full = false;
  const auto add = [&](const std::string& part) {
    const bool is_first = text.size() == 2;
    is_full = is_full || text.size() + part.size() + (is_first ? 0 : 1) > RegionName::longest;
    if (is_full) return;
    if (!is_first) text.append(" ");
    text.append(part);
  };
  for (int f = 0; f < chain.count && !is_full; ++f) {
    const void* const address = chain.addresses[static_cast<std::size_t>(f)];
    const LoadedFile file = file_of(static_cast<const char*>(address) - 1);
    if (meets_python(chain, file))
      for (const PythonFrame& frame : chain.python)
        add(text_of(frame));
    add(text_of(address, file));
  }
  return text;
}

}  // namespace finegrain::recorder
