// SPDX-License-Identifier: MIT
#include "heap_size.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace upcxx::detail {
namespace {

constexpr double smallest_heap_bytes = 64 << 10;
constexpr double default_heap_bytes = 128 << 20;

/// -1 if the text is no size. A bare number counts MB, as with UPC++.
double parsed_bytes(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return -1;
  std::string unit;
  for (; *end != '\0'; ++end)
    if (*end != ' ') unit += static_cast<char>(std::toupper(static_cast<unsigned char>(*end)));
  if (unit.empty()) unit = "MB";
  const std::string prefixes = "BKMGT";
  const std::size_t power = prefixes.find(unit[0]);
  const std::string rest = unit.substr(1);
  if (power == std::string::npos || !(rest.empty() || (power > 0 && (rest == "B" || rest == "IB"))))
    return -1;
  return number * static_cast<double>(std::size_t{1} << (10 * power));
}

struct Room {
  double size_bytes;
  std::string where;
};

/// Shared memory is kept in /dev/shm, which may be small in a container.
Room room_on_node(int ranks_of_node) {
  Room room{static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE)),
            "memory"};
  struct statvfs shm = {};
  if (ranks_of_node > 1 && ::statvfs("/dev/shm", &shm) == 0) {
    const double free_bytes = static_cast<double>(shm.f_bavail) * static_cast<double>(shm.f_frsize);
    if (free_bytes < room.size_bytes) room = {free_bytes, "/dev/shm"};
  }
  return room;
}

std::string in_mb(double size_bytes) {
  return std::to_string(static_cast<long long>(size_bytes) >> 20) + " MB";
}

}  // namespace

HeapSize heap_size(int ranks_of_node) {
  const Room room = room_on_node(ranks_of_node);
  const char* text = std::getenv("UPCXX_SHARED_HEAP_SIZE");
  if (text == nullptr) {
    // MPI's own buffers are there as well.
    const double fitting_bytes = room.size_bytes / 2 / ranks_of_node;
    const double size_bytes = std::max(smallest_heap_bytes, std::min(default_heap_bytes, fitting_bytes));
    return {static_cast<std::size_t>(size_bytes), ""};
  }
  const std::string asked = "UPCXX_SHARED_HEAP_SIZE: '" + std::string(text) + "' ";
  const double size_bytes = parsed_bytes(text);
  if (!(size_bytes >= smallest_heap_bytes)) return {0, asked + "is no size of 64KB or more. Try 512MB"};
  if (size_bytes * ranks_of_node > room.size_bytes)
    return {0, asked + "for each of " + std::to_string(ranks_of_node) + " rank(s) is more than " +
                   room.where + " has (" + in_mb(room.size_bytes) + "). Ask for less"};
  return {static_cast<std::size_t>(size_bytes), ""};
}

}  // namespace upcxx::detail
