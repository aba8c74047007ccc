// SPDX-License-Identifier: MIT
// dlsym(): a program that asks a handle of the MPI library itself for MPI_Send, as Julia and Python's ctypes
// do, gets the recorder's. Whatever else is asked for is passed on by a jump, because the C library's dlsym()
// looks at its return address to find out who asks for the next symbol (RTLD_NEXT).
#include "kernels/recorder/looked_up.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

#include "kernels/recorder/mpi.hpp"

namespace finegrain::recorder {
namespace {

using LookUp = void* (*)(void*, const char*);

LookUp find_c_librarys() {
  // The versions of x86-64 and of AArch64, the newest first.
  for (const char* const version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"}) {
    if (void* const found = ::dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<LookUp>(found);
  }
  return nullptr;
}

/// @returns this library, which stays loaded
void* own_handle() {
  static std::atomic<void*> known = nullptr;
  if (void* const handle = known.load(std::memory_order_acquire)) return handle;
  Dl_info own;
  if (::dladdr(reinterpret_cast<const void*>(look_up), &own) == 0) return nullptr;
  void* const handle = ::dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  known.store(handle, std::memory_order_release);
  return handle;
}

bool is_of_this_mpi(void* handle, const void* function) {
  Dl_info file;
  if (::dladdr(function, &file) == 0) return false;
  const std::string_view path = file.dli_fname;
  if (!path.substr(path.rfind('/') + 1).starts_with("libmpi")) return false;
#ifdef OPEN_MPI
  return look_up(handle, "ompi_mpi_comm_world") != nullptr;
#else
  return look_up(handle, "ompi_mpi_comm_world") == nullptr;
#endif
}

bool is_name_of_mpi(const char* name) {
  if (*name == 'P') ++name;
  return std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "MPIX_", 5) == 0;
}

}  // namespace
}  // namespace finegrain::recorder

using namespace finegrain::recorder;

extern "C" {
/// The C library's, to which dlsym() jumps.
__attribute__((visibility("hidden"))) std::atomic<LookUp> finegrain_next_dlsym = nullptr;

/// @returns what dlsym() is to return in place of the C library's answer; null: nothing
__attribute__((visibility("hidden"))) void* finegrain_own_answer(void* handle, const char* name) {
  if (finegrain_next_dlsym.load(std::memory_order_acquire) == nullptr)
    finegrain_next_dlsym.store(find_c_librarys(), std::memory_order_release);
  if (name == nullptr || handle == RTLD_NEXT || handle == RTLD_DEFAULT || !is_name_of_mpi(name))
    return nullptr;
  void* const found = look_up(handle, name);
  if (found == nullptr || !is_of_this_mpi(handle, found)) return nullptr;
  void* const own = own_handle() == nullptr ? nullptr : look_up(own_handle(), name);
  if (own != nullptr) ::dlerror();  // what was not found on the way is no error of the program's
  return own;
}
}

namespace finegrain::recorder {

void* look_up(void* where, const char* name) {
  LookUp next = finegrain_next_dlsym.load(std::memory_order_acquire);
  if (next == nullptr) {
    next = find_c_librarys();
    finegrain_next_dlsym.store(next, std::memory_order_release);
  }
  return next(where, name);
}

}  // namespace finegrain::recorder

#if defined(__x86_64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call finegrain_own_answer
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rax, %rax
  jz 1f
  ret
1:
  jmp *finegrain_next_dlsym(%rip)
  .cfi_endproc
  .size dlsym, . - dlsym
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  .cfi_startproc
  stp x29, x30, [sp, #-32]!
  .cfi_adjust_cfa_offset 32
  .cfi_rel_offset 29, 0
  .cfi_rel_offset 30, 8
  stp x0, x1, [sp, #16]
  bl finegrain_own_answer
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_adjust_cfa_offset -32
  .cfi_restore 29
  .cfi_restore 30
  cbz x16, 1f
  mov x0, x16
  ret
1:
  adrp x16, finegrain_next_dlsym
  ldr x16, [x16, :lo12:finegrain_next_dlsym]
  br x16
  .cfi_endproc
  .size dlsym, . - dlsym
)");
#endif
