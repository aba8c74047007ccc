// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/recorder/caller.hpp"

namespace finegrain::recorder {

/// A function of Python that is being executed.
struct PythonFrame {
  const char* code = nullptr;         ///< the interpreter's object
  const char* instruction = nullptr;  ///< at which it is
  // Memory of code that is gone may hold other code.
  const void* name = nullptr;
  int first_line = 0;

  friend bool operator==(const PythonFrame&, const PythonFrame&) = default;
};

/// Which lines of Python a thread is at. mpi4py gives the interpreter's lock back before it calls MPI, and
/// without it the interpreter's functions tell nothing. But nobody changes a thread's frames while it is in a
/// call, so they can be read in memory. Where they lie there depends on the version: those of CPython 3.11 to
/// 3.13 are known. They are read only after the interpreter's own functions, asked once by a thread that had
/// the lock, have said the same.
class PythonFrames {
 public:
  PythonFrames();

  /// Whether code is the interpreter's, and its frames can be told.
  bool are_of(const LoadedFile& file) const { return interpreter_ != nullptr && file.start == interpreter_; }
  /// The calling thread's frames, the innermost first; none if they cannot be told.
  void read(std::vector<PythonFrame>& frames);

  /// "@python:exchange /home/me/halo.py", in as many printable characters as a name may have.
  std::string object_name(const PythonFrame& frame) const;
  int line_of(const PythonFrame& frame) const;

 private:
  struct Layout;
  struct Functions;
  static const Layout* layout_of(unsigned long version);
  void read_unchecked(std::vector<PythonFrame>& frames) const;
  bool is_as_the_interpreter_says() const;
  std::string text_of(const void* string) const;

  const Layout* layout_ = nullptr;
  const Functions* functions_ = nullptr;
  const void* interpreter_ = nullptr;  ///< where its file is loaded; none: there is no interpreter of these
  bool is_checked_ = false;
};

}  // namespace finegrain::recorder
