// SPDX-License-Identifier: MIT
// Functions that a Fortran program calls and that its MPI library carries out without a call of C's: those of
// attributes, keys and error handlers, and calls that wait for no requests. The program's call comes here, is
// counted or recorded, and goes on to the library by a jump, with all that was passed.
#include <dlfcn.h>

#include <atomic>
#include <iterator>
#include <string>
#include <string_view>

#include "functions.hpp"
#include "kernels/recorder/looked_up.hpp"
#include "kernels/recorder/recording.hpp"

// Functions of Open MPI 4.1.4's libmpi_mpifh.so and MPICH 4.0.2's libmpichfort.so that call no function of C
// of that name.
#define FINEGRAIN_ATTRIBUTES(ENTRY)                         \
  ENTRY(0, attr_get, ATTR_GET, MPI_Attr_get)                \
  ENTRY(1, attr_put, ATTR_PUT, MPI_Attr_put)                \
  ENTRY(2, comm_get_attr, COMM_GET_ATTR, MPI_Comm_get_attr) \
  ENTRY(3, comm_set_attr, COMM_SET_ATTR, MPI_Comm_set_attr) \
  ENTRY(4, type_get_attr, TYPE_GET_ATTR, MPI_Type_get_attr) \
  ENTRY(5, type_set_attr, TYPE_SET_ATTR, MPI_Type_set_attr) \
  ENTRY(6, win_get_attr, WIN_GET_ATTR, MPI_Win_get_attr)    \
  ENTRY(7, win_set_attr, WIN_SET_ATTR, MPI_Win_set_attr)

// The same, of Open MPI alone; and those that it returns from at once if they are given no requests
// (ompi/mpi/fortran/mpif-h).
#define FINEGRAIN_MAKERS(ENTRY)                                                         \
  ENTRY(8, comm_create_errhandler, COMM_CREATE_ERRHANDLER, MPI_Comm_create_errhandler)  \
  ENTRY(9, comm_create_keyval, COMM_CREATE_KEYVAL, MPI_Comm_create_keyval)              \
  ENTRY(10, file_create_errhandler, FILE_CREATE_ERRHANDLER, MPI_File_create_errhandler) \
  ENTRY(11, keyval_create, KEYVAL_CREATE, MPI_Keyval_create)                            \
  ENTRY(12, type_create_keyval, TYPE_CREATE_KEYVAL, MPI_Type_create_keyval)             \
  ENTRY(13, type_match_size, TYPE_MATCH_SIZE, MPI_Type_match_size)                      \
  ENTRY(14, win_create_errhandler, WIN_CREATE_ERRHANDLER, MPI_Win_create_errhandler)    \
  ENTRY(15, win_create_keyval, WIN_CREATE_KEYVAL, MPI_Win_create_keyval)

#define FINEGRAIN_WAITS(ENTRY)                \
  ENTRY(16, waitall, WAITALL, MPI_Waitall)    \
  ENTRY(17, waitany, WAITANY, MPI_Waitany)    \
  ENTRY(18, waitsome, WAITSOME, MPI_Waitsome) \
  ENTRY(19, testall, TESTALL, MPI_Testall)    \
  ENTRY(20, testany, TESTANY, MPI_Testany)    \
  ENTRY(21, testsome, TESTSOME, MPI_Testsome)

#ifdef OPEN_MPI
#define FINEGRAIN_FORTRAN_FUNCTIONS(ENTRY) \
  FINEGRAIN_ATTRIBUTES(ENTRY) FINEGRAIN_MAKERS(ENTRY) FINEGRAIN_WAITS(ENTRY)
#else
#define FINEGRAIN_FORTRAN_FUNCTIONS(ENTRY) FINEGRAIN_ATTRIBUTES(ENTRY)
#endif

namespace finegrain::recorder {
namespace {

struct FortranFunction {
  std::string_view name;
  Function function;
};
#define ENTRY(number, lower, upper, c) FortranFunction{#lower, Function::c},
constexpr FortranFunction fortran_functions[] = {FINEGRAIN_FORTRAN_FUNCTIONS(ENTRY)};
#undef ENTRY

/// How compilers spell mpi_attr_get, and how the library's bindings for Fortran 2008 call it.
constexpr std::size_t spellings = 9;
std::string spelled(std::string_view name, std::size_t spelling) {
  if (spelling == 8) return "ompi_" + std::string(name) + "_f";
  std::string text = spelling < 4 ? "mpi_" : "pmpi_";
  text += name;
  if (spelling % 4 == 3) {
    for (char& c : text) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
  } else {
    text.append(spelling % 4, '_');
  }
  return text;
}

std::atomic<void*> librarys[std::size(fortran_functions) * spellings];

/// What the library does not pass on to C: waits for no requests.
void wait_for_none(Function function) {
  int number = 0;
  switch (function) {
    case Function::MPI_Waitall:
      ::MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE);
      break;
    case Function::MPI_Waitany:
      ::MPI_Waitany(0, nullptr, &number, MPI_STATUS_IGNORE);
      break;
    case Function::MPI_Waitsome:
      ::MPI_Waitsome(0, nullptr, &number, nullptr, MPI_STATUSES_IGNORE);
      break;
    case Function::MPI_Testall:
      ::MPI_Testall(0, nullptr, &number, MPI_STATUSES_IGNORE);
      break;
    case Function::MPI_Testany: {
      int index = 0;
      ::MPI_Testany(0, nullptr, &index, &number, MPI_STATUS_IGNORE);
      break;
    }
    case Function::MPI_Testsome:
      ::MPI_Testsome(0, nullptr, &number, nullptr, MPI_STATUSES_IGNORE);
      break;
    default:
      count_call(function);
  }
}

bool is_wait(Function function) {
  return function == Function::MPI_Waitall || function == Function::MPI_Waitany ||
         function == Function::MPI_Waitsome || function == Function::MPI_Testall ||
         function == Function::MPI_Testany || function == Function::MPI_Testsome;
}

}  // namespace
}  // namespace finegrain::recorder

using namespace finegrain::recorder;

/// @param entry  the number of the function and of its spelling
/// @param first  the call's first argument: of those that wait, how many requests there are
/// @returns the library's function
extern "C" __attribute__((visibility("hidden"))) void* finegrain_fortran_call(std::size_t entry,
                                                                              const MPI_Fint* first) {
  const FortranFunction& called = fortran_functions[entry / spellings];
  if (!is_wait(called.function)) {
    count_call(called.function);
  } else if (first != nullptr && *first == 0) {
    wait_for_none(called.function);
  }
  void* known = librarys[entry].load(std::memory_order_acquire);
  if (known == nullptr) {
    known = look_up(RTLD_NEXT, spelled(called.name, entry % spellings).c_str());
    librarys[entry].store(known, std::memory_order_release);
  }
  return known;
}

#if defined(__x86_64__)
asm(R"(
  .text
finegrain_fortran_entry:
  .cfi_startproc
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $8, %rsp
  .cfi_adjust_cfa_offset 56
  movq %rdi, %rsi
  movq %r11, %rdi
  call finegrain_fortran_call
  addq $8, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  .cfi_adjust_cfa_offset -56
  jmp *%rax
  .cfi_endproc
)");
#define FINEGRAIN_SPELLING(number, spelling, symbol)                      \
  asm(".text\n.globl " #symbol "\n.type " #symbol ", @function\n" #symbol \
      ":\n"                                                               \
      "endbr64\nmovq $(" #number "*9+" #spelling                          \
      "), %r11\njmp finegrain_fortran_entry\n"                            \
      ".size " #symbol ", . - " #symbol "\n");
#elif defined(__aarch64__)
asm(R"(
  .text
finegrain_fortran_entry:
  .cfi_startproc
  stp x29, x30, [sp, #-96]!
  .cfi_adjust_cfa_offset 96
  .cfi_rel_offset 29, 0
  .cfi_rel_offset 30, 8
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  mov x1, x0
  mov x0, x16
  bl finegrain_fortran_call
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp x29, x30, [sp], #96
  .cfi_adjust_cfa_offset -96
  .cfi_restore 29
  .cfi_restore 30
  br x16
  .cfi_endproc
)");
#define FINEGRAIN_SPELLING(number, spelling, symbol)                      \
  asm(".text\n.globl " #symbol "\n.type " #symbol ", %function\n" #symbol \
      ":\n"                                                               \
      "mov x16, #(" #number "*9+" #spelling                               \
      ")\nb finegrain_fortran_entry\n"                                    \
      ".size " #symbol ", . - " #symbol "\n");
#else
#define FINEGRAIN_SPELLING(number, spelling, symbol)
#endif

#define ENTRY(number, lower, upper, c)            \
  FINEGRAIN_SPELLING(number, 0, mpi_##lower)      \
  FINEGRAIN_SPELLING(number, 1, mpi_##lower##_)   \
  FINEGRAIN_SPELLING(number, 2, mpi_##lower##__)  \
  FINEGRAIN_SPELLING(number, 3, MPI_##upper)      \
  FINEGRAIN_SPELLING(number, 4, pmpi_##lower)     \
  FINEGRAIN_SPELLING(number, 5, pmpi_##lower##_)  \
  FINEGRAIN_SPELLING(number, 6, pmpi_##lower##__) \
  FINEGRAIN_SPELLING(number, 7, PMPI_##upper)     \
  FINEGRAIN_SPELLING(number, 8, ompi_##lower##_f)
FINEGRAIN_FORTRAN_FUNCTIONS(ENTRY)
#undef ENTRY
