// SPDX-License-Identifier: MIT
#include "sim/cli/recording_claim.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>

#include "traces/io/input_error.hpp"
#include "traces/rank_file.hpp"

namespace finegrain::cli {

RecordingClaim::RecordingClaim(const std::filesystem::path& folder)
    : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  if (!socket_.is_open()) return;  // the folder itself still tells two recordings apart, but later
  std::error_code error;
  std::string path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(folder, error), error).string();
  if (error) return;
  while (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  // An address in the abstract namespace (unix(7)) belongs to one process, and ends with it. It has 107
  // bytes, so it holds the path's checksum.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name =
      fmt::format("finegrain record {} {:016x}", ::getuid(), checksum(std::as_bytes(std::span(path))));
  name.copy(address.sun_path + 1, sizeof(address.sun_path) - 1);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0 ||
      errno != EADDRINUSE)
    return;
  throw InputError(folder.string(), "another finegrain record is writing it (a trace is of one run)",
                   "Wait for its end, or choose another folder with --out");
}

}  // namespace finegrain::cli
