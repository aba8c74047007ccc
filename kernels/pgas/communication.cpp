// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <memory>
#include <upcxx/upcxx.hpp>

namespace upcxx::detail {
namespace {

/// MPI counts bytes in an int; longer transfers are cut into pieces.
constexpr std::size_t largest_piece_bytes = std::size_t{1} << 30;

MPI_Datatype bytes_type(std::size_t size_bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(size_bytes), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

/// A function that calls `completed` once it has been called a given number of times itself.
std::function<void()> after(std::size_t calls, std::function<void()> completed) {
  return [left = std::make_shared<std::size_t>(calls), completed = std::move(completed)] {
    if (--*left == 0) completed();
  };
}

}  // namespace

void transfer(Direction direction, void* here, intrank_t rank, std::ptrdiff_t offset, std::size_t size_bytes,
              std::function<void()> completed) {
  if (size_bytes == 0) return run_soon(std::move(completed));
  MPI_Win window = segments().window;
  const std::size_t pieces = (size_bytes + largest_piece_bytes - 1) / largest_piece_bytes;
  const std::function<void()> piece_completed = after(pieces, std::move(completed));
  for (std::size_t begin = 0; begin < size_bytes; begin += largest_piece_bytes) {
    const int count = static_cast<int>(std::min(largest_piece_bytes, size_bytes - begin));
    std::byte* piece = static_cast<std::byte*>(here) + begin;
    const auto displacement = static_cast<MPI_Aint>(offset) + static_cast<MPI_Aint>(begin);
    if (direction == Direction::get) {
      await_room_for_requests();
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Rget(piece, count, MPI_BYTE, rank, displacement, count, MPI_BYTE, window, &request);
      when_complete(request, piece_completed);
    } else {
      MPI_Put(piece, count, MPI_BYTE, rank, displacement, count, MPI_BYTE, window);
      when_there(rank, piece_completed);
    }
  }
}

void gather(const std::vector<Stretch>& here, intrank_t rank, const std::vector<Stretch>& there,
            std::function<void()> completed) {
  const auto type_of = [](const std::vector<Stretch>& stretches) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> begins;
    for (const Stretch& stretch : stretches) {
      lengths.push_back(static_cast<int>(stretch.size_bytes));
      begins.push_back(stretch.begin);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), begins.data(), MPI_BYTE,
                             &type);
    MPI_Type_commit(&type);
    return type;
  };
  MPI_Datatype to = type_of(here);
  MPI_Datatype from = type_of(there);
  // Not MPI_Rget: MPICH 4.0 says that its request is complete before all stretches are here.
  MPI_Get(MPI_BOTTOM, 1, to, rank, 0, 1, from, segments().window);
  // MPI keeps what it still needs of the types.
  MPI_Type_free(&to);
  MPI_Type_free(&from);
  when_there(rank, std::move(completed));
}

void update_atomically(AtomicUpdate update, MPI_Datatype type, const void* operand, void* before,
                       intrank_t rank, std::ptrdiff_t offset, std::function<void()> completed) {
  const MPI_Op operation = update == AtomicUpdate::add       ? MPI_SUM
                           : update == AtomicUpdate::replace ? MPI_REPLACE
                                                             : MPI_NO_OP;
  MPI_Win window = segments().window;
  MPI_Fetch_and_op(operand, before, type, rank, static_cast<MPI_Aint>(offset), operation, window);
  when_there(rank, std::move(completed));
}

void compare_and_swap(MPI_Datatype type, const void* expected, const void* desired, void* before,
                      intrank_t rank, std::ptrdiff_t offset, std::function<void()> completed) {
  MPI_Compare_and_swap(desired, expected, before, type, rank, static_cast<MPI_Aint>(offset),
                       segments().window);
  when_there(rank, std::move(completed));
}

void broadcast_bytes(void* bytes, std::size_t size_bytes, intrank_t root, const team& members,
                     std::function<void()> completed) {
  const std::size_t pieces =
      std::max<std::size_t>(1, (size_bytes + largest_piece_bytes - 1) / largest_piece_bytes);
  const std::function<void()> piece_completed = after(pieces, std::move(completed));
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t begin = piece * largest_piece_bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(static_cast<std::byte*>(bytes) + begin,
               static_cast<int>(std::min(largest_piece_bytes, size_bytes - begin)), MPI_BYTE, root,
               members.comm(), &request);
    when_complete(request, piece_completed);
  }
}

namespace {

/// MPI passes a reduction operation no data of the user, but it passes the element type. So the element type
/// of each reduction carries the combining function, as the attribute with this key.
int combine_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &made, nullptr);
    return made;
  }();
  return key;
}

void combine_elements(void* in, void* in_out, int* count, MPI_Datatype* type) {
  void* combine = nullptr;
  int found = 0;
  MPI_Type_get_attr(*type, combine_key(), static_cast<void*>(&combine), &found);
  int size_bytes = 0;
  MPI_Type_size(*type, &size_bytes);
  for (std::ptrdiff_t i = 0; i < *count; ++i)
    (*static_cast<const Combine*>(combine))(static_cast<const std::byte*>(in) + i * size_bytes,
                                            static_cast<std::byte*>(in_out) + i * size_bytes);
}

}  // namespace

void reduce_bytes(const void* source, void* target, std::size_t element_bytes, std::size_t count,
                  Combine combine, intrank_t root, const team& members, std::function<void()> completed) {
  static const MPI_Op operation = [] {
    MPI_Op made = MPI_OP_NULL;
    MPI_Op_create(combine_elements, 1, &made);
    return made;
  }();
  MPI_Datatype element = bytes_type(element_bytes);
  const auto kept = std::make_shared<Combine>(std::move(combine));
  MPI_Type_set_attr(element, combine_key(), kept.get());
  MPI_Request request = MPI_REQUEST_NULL;
  const void* from = source == target ? MPI_IN_PLACE : source;
  const int elements = static_cast<int>(count);
  if (root < 0) {
    MPI_Iallreduce(from, target, elements, element, operation, members.comm(), &request);
  } else {
    const bool at_root = members.rank_me() == root;
    MPI_Ireduce(at_root ? from : source, target, elements, element, operation, root, members.comm(),
                &request);
  }
  when_complete(request, [element, kept, completed = std::move(completed)]() mutable {
    MPI_Type_free(&element);
    completed();
  });
}

future<std::vector<std::ptrdiff_t>> gather_offsets(std::ptrdiff_t offset, const team& members) {
  static_assert(sizeof(std::ptrdiff_t) == sizeof(std::int64_t));
  struct Gathering {
    SharedState<std::vector<std::ptrdiff_t>> state;
    std::ptrdiff_t mine;
    std::vector<std::ptrdiff_t> all;
  };
  const auto gathering = std::make_shared<Gathering>();
  gathering->mine = offset;
  gathering->all.resize(static_cast<std::size_t>(members.rank_n()));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&gathering->mine, 1, MPI_INT64_T, gathering->all.data(), 1, MPI_INT64_T, members.comm(),
                 &request);
  when_complete(request, [gathering] { gathering->state.fulfil({std::move(gathering->all)}); });
  return future<std::vector<std::ptrdiff_t>>(
      std::shared_ptr<SharedState<std::vector<std::ptrdiff_t>>>(gathering, &gathering->state));
}

}  // namespace upcxx::detail
