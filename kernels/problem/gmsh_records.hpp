// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/problem/text_reader.hpp"

namespace finegrain::problem {

/// The numbers of a Gmsh section, which has the same content as text and as bytes. All functions throw
/// InputError if the file ends or a word is not a number.
class GmshRecords {
 public:
  virtual ~GmshRecords() = default;
  /// Goes to the next record: a line of a text.
  virtual void begin() = 0;
  virtual std::int64_t int32(const char* what) = 0;
  virtual std::int64_t size(const char* what) = 0;
  virtual double real(const char* what) = 0;
  /// Passes over the last numbers of a record.
  virtual void skip(std::uint64_t count, std::uint64_t bytes_each) = 0;
  /// Passes over a count and as many integers, the last of a record.
  virtual void skip_list() = 0;
};

class GmshText : public GmshRecords {
 public:
  explicit GmshText(TextReader& text) : text_(text) {}
  void begin() override;
  std::int64_t int32(const char* what) override { return text_.integer(what); }
  std::int64_t size(const char* what) override { return text_.integer(what); }
  double real(const char* what) override { return text_.real(what); }
  void skip(std::uint64_t /*count*/, std::uint64_t /*bytes_each*/) override {}
  void skip_list() override {}

 private:
  TextReader& text_;
};

class GmshBytes : public GmshRecords {
 public:
  explicit GmshBytes(TextReader& text) : text_(text) {}
  void begin() override {}
  std::int64_t int32(const char* what) override;
  std::int64_t size(const char* what) override;
  double real(const char* what) override;
  void skip(std::uint64_t count, std::uint64_t bytes_each) override;
  void skip_list() override;

 private:
  TextReader& text_;
};

}  // namespace finegrain::problem
