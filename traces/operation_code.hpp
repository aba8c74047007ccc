// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

/// The first byte of an operation in a rank's file (docs/trace-format.md, "Content of a chunk").
namespace finegrain::operation_code {

inline constexpr std::byte work{0};
inline constexpr std::byte complete{1};
inline constexpr std::byte collective{2};
inline constexpr std::byte post{0x80};  ///< its kind in the lowest three bits, and these
inline constexpr std::byte kind{0x07};
inline constexpr std::byte blocking{0x08};
inline constexpr std::byte private_memory{0x10};
inline constexpr std::byte named{0x20};  ///< it has a tag and a communicator
inline constexpr std::byte all_of_a_post{0xbf};

}  // namespace finegrain::operation_code
