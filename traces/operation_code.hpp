// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

/// The first byte of an operation in a rank's file (docs/trace-format.md, "Operations").
namespace finegrain::operation_code {

inline constexpr std::byte work{0};
inline constexpr std::byte complete{1};
inline constexpr std::byte barrier{2};  ///< one of all ranks, blocking; a zero follows
inline constexpr std::byte collective{3};
inline constexpr std::byte timed_work{4};
inline constexpr std::byte lock{5};
inline constexpr std::byte work_with_calls{9};
inline constexpr std::byte work_by_pointers_to_shared{10};
// Only in the signature of a call.
inline constexpr std::byte bind{6};
inline constexpr std::byte cancel{7};
inline constexpr std::byte thread{8};
inline constexpr std::byte place{11};

inline constexpr std::byte post{0x80};  ///< its kind in the lowest three bits, and these
inline constexpr std::byte kind{0x07};
inline constexpr std::byte blocking{0x08};
inline constexpr std::byte private_memory{0x10};
inline constexpr std::byte named{0x20};      ///< it has a tag and a communicator
inline constexpr std::byte qualified{0x40};  ///< a byte of these follows
inline constexpr std::byte synchronous{1};
inline constexpr std::byte any_source{2};
inline constexpr std::byte any_tag{4};
inline constexpr std::byte buffered{8};

// A collective's bits.
inline constexpr std::byte nonblocking{1};
inline constexpr std::byte ordered{2};  ///< its operation is not commutative
// A lock's bits.
inline constexpr std::byte acquire{1};
inline constexpr std::byte exclusive{2};

}  // namespace finegrain::operation_code
