// SPDX-License-Identifier: MIT
#include "tests/fuzz/input_file.hpp"

#include <fstream>
#include <stdexcept>

namespace finegrain::fuzz {
namespace {

class Folder {
 public:
  Folder() {
    const std::filesystem::path memory = "/dev/shm";
    const auto parent =
        std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    std::string name = (parent / "finegrain-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

const std::filesystem::path& folder() {
  static const Folder of_this_process;
  return of_this_process.path();
}

std::filesystem::path write_input(const std::string& name, std::string_view bytes) {
  const std::filesystem::path path = folder() / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace finegrain::fuzz
