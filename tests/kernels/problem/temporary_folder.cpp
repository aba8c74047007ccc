// SPDX-License-Identifier: MIT
#include "tests/kernels/problem/temporary_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace finegrain::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "finegrain_problem_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  fs::remove_all(path_);
}

std::size_t TemporaryFolder::files() const {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  // A file that is there is written over, not emptied first: then file systems may wait for the disk.
  const auto mode = fs::exists(path) ? std::ios::in | std::ios::out : std::ios::out;
  std::fstream(path, std::ios::binary | mode) << bytes;
  fs::resize_file(path, bytes.size());
}

}  // namespace finegrain::test
