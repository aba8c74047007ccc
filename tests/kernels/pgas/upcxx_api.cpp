// SPDX-License-Identifier: MIT
// Checks, on every rank, what the UPC++ API promises; uses nothing else, so it passes with any UPC++.
#include <upcxx/upcxx.hpp>

// Programs take it that UPC++'s header brings <chrono>: nothing before this line may.
using Milliseconds = std::chrono::milliseconds;

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

int failures = 0;

void check(bool holds, const char* claim) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "rank %d: not so: %s\n", upcxx::rank_me(), claim);
}

int next_rank() {
  return (upcxx::rank_me() + 1) % upcxx::rank_n();
}
int previous_rank() {
  return (upcxx::rank_me() + upcxx::rank_n() - 1) % upcxx::rank_n();
}

void test_global_pointers() {
  const upcxx::global_ptr<int> none;
  check(none.is_null() && none == nullptr, "a pointer that is not set is null");
  const upcxx::global_ptr<int> array = upcxx::new_array<int>(10);
  std::iota(array.local(), array.local() + 10, 0);
  check(array.where() == upcxx::rank_me() && array.is_local(), "what a rank allocates is in its own memory");
  check(*(array + 7).local() == 7 && (array + 7) - array == 7, "arithmetic counts elements");
  check(array < array + 1 && array != array + 1, "pointers into an array are ordered");
  upcxx::global_ptr<int> moving = array;
  ++moving;
  moving += 2;
  check(*(moving--).local() == 3 && *moving.local() == 2, "increments and decrements");
  const upcxx::global_ptr<const int> constant = array;
  check(constant.local() == array.local(), "a pointer to const from one that is not");
  check(upcxx::to_global_ptr(array.local() + 4) == array + 4, "a local address is a global pointer again");
  int elsewhere = 0;
  check(upcxx::try_global_ptr(&elsewhere).is_null(), "private memory has no global pointer");
  upcxx::delete_array(array);
}

struct Count {
  std::int64_t count = 0;
};
struct Weight {
  double weight = 0;
};
struct Parcel : Count, Weight {
  double postage = 0;
};

void test_pointers_to_bases() {
  const upcxx::global_ptr<Parcel> mine = upcxx::new_<Parcel>();
  mine.local()->count = 7 + upcxx::rank_me();
  mine.local()->weight = 2.5 + upcxx::rank_me();
  const upcxx::dist_object<upcxx::global_ptr<Parcel>> parcels(mine);
  const upcxx::global_ptr<Parcel> theirs = parcels.fetch(next_rank()).wait();
  const auto weight = upcxx::static_pointer_cast<Weight>(theirs);
  check(upcxx::rget(weight).wait().weight == 2.5 + next_rank(), "a pointer to the second base points there");
  check(upcxx::rget(upcxx::static_pointer_cast<Count>(theirs)).wait().count == 7 + next_rank(),
        "a pointer to the first base points there");
  check(upcxx::static_pointer_cast<Parcel>(weight) == theirs, "and from the base back to the object");
  check(upcxx::static_pointer_cast<Weight>(mine).local() == static_cast<Weight*>(mine.local()),
        "a cast gives what static_cast gives of the address");
  check(upcxx::static_pointer_cast<Weight>(upcxx::global_ptr<Parcel>()).is_null(), "a cast null stays null");
  upcxx::barrier();
  upcxx::delete_(mine);
}

void test_transfers() {
  const std::size_t length = 5000;
  const upcxx::global_ptr<double> mine = upcxx::new_array<double>(length);
  for (std::size_t i = 0; i < length; ++i)
    mine.local()[i] = upcxx::rank_me() * 1e6 + static_cast<double>(i);
  const upcxx::dist_object<upcxx::global_ptr<double>> arrays(mine);
  upcxx::barrier();
  const upcxx::global_ptr<double> theirs = arrays.fetch(next_rank()).wait();
  check(theirs.where() == next_rank(), "fetch gives that rank's object");
  check(upcxx::rget(theirs + 7).wait() == next_rank() * 1e6 + 7, "rget gives the value there");
  std::vector<double> copy(length - 10);
  upcxx::rget(theirs + 10, copy.data(), copy.size()).wait();
  bool right = true;
  for (std::size_t i = 0; i < copy.size(); ++i)
    right = right && copy[i] == next_rank() * 1e6 + static_cast<double>(i + 10);
  check(right, "a bulk rget gives all values");
  upcxx::barrier();

  const std::vector<double> source = {1.5 + upcxx::rank_me(), 2.5, 3.5};
  const upcxx::future<> bulk = upcxx::rput(source.data(), theirs + 60, source.size());
  const upcxx::future<> single = upcxx::rput(42.0 + upcxx::rank_me(), theirs + 63);
  upcxx::when_all(bulk, single).wait();
  upcxx::barrier();
  check(mine.local()[60] == 1.5 + previous_rank() && mine.local()[62] == 3.5, "a bulk rput arrives");
  check(mine.local()[63] == 42.0 + previous_rank(), "an rput of a value arrives");
  upcxx::barrier();

  upcxx::future<> all = upcxx::make_future();
  for (int i = 0; i < 20000; ++i)
    all = upcxx::when_all(all, upcxx::rput(static_cast<double>(i), theirs + i % 1000));
  all.wait();
  upcxx::barrier();
  check(mine.local()[999] == 19999,
        "of puts to one place the last one stays, however long the chain of futures");
  upcxx::barrier();
  upcxx::delete_array(mine);
}

void test_stretches() {
  constexpr std::size_t length = 9000;
  const upcxx::global_ptr<double> mine = upcxx::new_array<double>(length);
  for (std::size_t i = 0; i < length; ++i)
    mine.local()[i] = upcxx::rank_me() * 1e6 + static_cast<double>(i);
  const upcxx::dist_object<upcxx::global_ptr<double>> arrays(mine);
  upcxx::barrier();
  const upcxx::global_ptr<double> theirs = arrays.fetch(next_rank()).wait();
  // Elements 7, 18, 29, ... of the next rank, into every second place.
  constexpr std::size_t stretches = 500;
  std::vector<double> copy(2 * stretches);
  std::vector<std::pair<upcxx::global_ptr<double>, std::size_t>> from;
  std::vector<std::pair<double*, std::size_t>> to;
  for (std::size_t i = 0; i < stretches; ++i) {
    from.emplace_back(theirs + static_cast<std::ptrdiff_t>(7 + 11 * i), 1);
    to.emplace_back(&copy[2 * i], 1);
  }
  bool right = true;
  for (int round = 0; round < 20; ++round) {
    copy.assign(copy.size(), -1);
    upcxx::rget_irregular(from.begin(), from.end(), to.begin(), to.end()).wait();
    for (std::size_t i = 0; i < stretches; ++i)
      right = right && copy[2 * i] == next_rank() * 1e6 + static_cast<double>(7 + 11 * i) &&
              copy[2 * i + 1] == -1;
  }
  check(right, "all stretches are here when rget_irregular's future is ready, and nothing else");
  upcxx::barrier();
  upcxx::delete_array(mine);
}

void test_futures() {
  check(upcxx::make_future(3).ready() && upcxx::make_future(3).wait() == 3, "a made future is ready");
  int called = 0;
  upcxx::when_all(upcxx::make_future(1, 2.5), upcxx::make_future(), upcxx::make_future('c'))
      .then([&](int i, double d, char c) { called = i == 1 && d == 2.5 && c == 'c' ? 1 : -1; })
      .wait();
  check(called == 1, "when_all joins the values in order");
  const int nested = upcxx::make_future(20).then([](int i) { return upcxx::make_future(i + 1); }).wait();
  check(nested == 21, "a callback's future is waited for");
  check(upcxx::when_all(upcxx::make_future(1), 2.5).wait<1>() == 2.5, "when_all takes values as they are");

  const upcxx::global_ptr<int> mine = upcxx::new_<int>(upcxx::rank_me() * 10);
  const upcxx::dist_object<upcxx::global_ptr<int>> values(mine);
  const int chained = values.fetch(next_rank())
                          .then([](const upcxx::global_ptr<int>& theirs) { return upcxx::rget(theirs); })
                          .then([](int value) { return value + 1; })
                          .wait();
  check(chained == next_rank() * 10 + 1, "communication follows communication in a chain");
  const int moved = values.fetch(next_rank())
                        .then([](const upcxx::global_ptr<int>& theirs) { return upcxx::rget(theirs); })
                        .then([one = std::make_unique<int>(1)](int value) { return value + *one; })
                        .wait();
  check(moved == next_rank() * 10 + 1, "a callback may be one that can only be moved");
  upcxx::barrier();
  upcxx::delete_(mine);
}

void test_promises() {
  const upcxx::global_ptr<int> mine = upcxx::new_array<int>(1000);
  const upcxx::dist_object<upcxx::global_ptr<int>> arrays(mine);
  const upcxx::global_ptr<int> theirs = arrays.fetch(next_rank()).wait();
  const upcxx::promise<> all_there;
  for (int i = 0; i < 1000; ++i)
    upcxx::rput(upcxx::rank_me() + i, theirs + i, upcxx::operation_cx::as_promise(all_there));
  all_there.finalize().wait();
  upcxx::barrier();
  check(*mine.local() == previous_rank() && mine.local()[999] == previous_rank() + 999,
        "a promise counts the puts that tell it");
  const upcxx::promise<int> value;
  upcxx::rget(theirs + 5, upcxx::operation_cx::as_promise(value));
  check(value.finalize().wait() == upcxx::rank_me() + 5, "a promise brings the value of a get");
  upcxx::barrier();
  upcxx::delete_array(mine);
}

/// The callback is called by finalize(), not by progress(), so it may wait.
void test_wait_in_callback() {
  const upcxx::global_ptr<int> mine = upcxx::new_<int>(upcxx::rank_me() + 30);
  const upcxx::dist_object<upcxx::global_ptr<int>> values(mine);
  const upcxx::global_ptr<int> theirs = values.fetch(next_rank()).wait();
  const upcxx::promise<> now;
  int seen = 0;
  now.get_future().then([&] { seen = upcxx::rget(theirs).wait(); });
  now.finalize();
  check(seen == next_rank() + 30, "a callback outside of progress may wait for communication");
  upcxx::barrier();
  upcxx::delete_(mine);
}

/// Rank 0 lets the others go on to make theirs only after it has made its own.
void test_dist_object_waits_for_nobody() {
  const upcxx::global_ptr<int> flag = upcxx::new_<int>(0);
  std::vector<upcxx::global_ptr<int>> flags;
  for (int rank = 0; rank < upcxx::rank_n(); ++rank)
    flags.push_back(upcxx::broadcast(flag, rank).wait());
  const auto let_go = [&] {
    for (const upcxx::global_ptr<int>& each : flags)
      upcxx::rput(1, each).wait();
  };
  if (upcxx::rank_me() != 0)
    while (upcxx::rget(flag).wait() == 0)
      upcxx::progress();
  const upcxx::dist_object<int> numbers(upcxx::rank_me() * 3);
  if (upcxx::rank_me() == 0) let_go();
  check(numbers.fetch(next_rank()).wait() == next_rank() * 3, "fetch waits for an object that is made later");
  upcxx::barrier();
  upcxx::delete_(flag);
}

void test_many_at_once() {
  const int count = 20000;
  const upcxx::global_ptr<int> mine = upcxx::new_array<int>(count);
  std::iota(mine.local(), mine.local() + count, upcxx::rank_me());
  const upcxx::dist_object<upcxx::global_ptr<int>> arrays(mine);
  upcxx::barrier();
  const upcxx::global_ptr<int> theirs = arrays.fetch(next_rank()).wait();
  long sum = 0;
  upcxx::future<> all = upcxx::make_future();
  for (int i = 0; i < count; ++i)
    all = upcxx::when_all(all, upcxx::rget(theirs + i).then([&sum](int value) { sum += value; }));
  all.wait();
  check(sum == static_cast<long>(count) * next_rank() + static_cast<long>(count) * (count - 1) / 2,
        "twenty thousand gets at once all arrive");
  upcxx::barrier();
  upcxx::delete_array(mine);
}

void test_allocation() {
  const std::size_t too_many = std::size_t{1} << 45;
  check(upcxx::new_array<double>(too_many, std::nothrow).is_null(), "no room is null where it may not throw");
  bool thrown = false;
  try {
    check(upcxx::new_array<double>(too_many).is_null(), "so much room is not there");
  } catch (const upcxx::bad_shared_alloc&) {
    thrown = true;
  }
  check(thrown, "no room is bad_shared_alloc");

  void* bytes = upcxx::allocate(1000, 256);
  check(bytes != nullptr && reinterpret_cast<std::uintptr_t>(bytes) % 256 == 0,
        "bytes are allocated with the alignment asked for");
  check(upcxx::try_global_ptr(static_cast<char*>(bytes)).where() == upcxx::rank_me(),
        "and lie in this rank's shared heap");
  std::memset(bytes, 1, 1000);
  upcxx::deallocate(bytes);
  upcxx::deallocate(upcxx::allocate(8));
}

/// A megabyte, so that a heap of 128 MB is full after a hundred that are not given back.
struct Unmakeable {
  Unmakeable() { throw std::runtime_error("unmakeable"); }
  std::byte bytes[1 << 20];
};

template <class Make>
bool throws(Make make) {
  try {
    make();
  } catch (const std::runtime_error&) {
    return true;
  } catch (const std::bad_alloc&) {
  }
  return false;
}

void test_constructors_that_throw() {
  bool always = true;
  for (int i = 0; i < 100; ++i) {
    always = always && throws([] { return upcxx::new_<Unmakeable>(); });
    always = always && throws([] { return upcxx::new_<Unmakeable>(std::nothrow); });
    always = always && throws([] { return upcxx::new_array<Unmakeable>(2); });
  }
  check(always, "what a constructor throws comes through, and its memory is given back");
}

void test_collectives() {
  const int ranks = upcxx::rank_n();
  check(upcxx::broadcast(upcxx::rank_me() + 5, ranks - 1).wait() == ranks - 1 + 5,
        "broadcast gives root's value");
  std::vector<int> values = {upcxx::rank_me(), upcxx::rank_me() * 2, 7};
  upcxx::broadcast(values.data(), values.size(), 0).wait();
  check(values == std::vector<int>{0, 0, 7}, "a bulk broadcast gives root's values");
  check(upcxx::reduce_all(upcxx::rank_me(), upcxx::op_fast_add).wait() == ranks * (ranks - 1) / 2,
        "reduce_all adds");
  check(upcxx::reduce_all(1.0 + upcxx::rank_me(), upcxx::op_fast_max).wait() == ranks,
        "reduce_all of doubles");
  const int largest = upcxx::reduce_one(
                          upcxx::rank_me(), [](int a, int b) { return a > b ? a : b; }, ranks - 1)
                          .wait();
  check(upcxx::rank_me() != ranks - 1 || largest == ranks - 1, "reduce_one takes any operation");
  const std::vector<std::int64_t> source = {1, upcxx::rank_me()};
  std::vector<std::int64_t> target(2);
  upcxx::reduce_all(source.data(), target.data(), 2, upcxx::op_fast_add).wait();
  check(target == std::vector<std::int64_t>{ranks, ranks * (ranks - 1) / 2},
        "a bulk reduce_all combines each element");
}

void test_atomics() {
  upcxx::atomic_domain<std::int64_t> domain({upcxx::atomic_op::load, upcxx::atomic_op::store,
                                             upcxx::atomic_op::add, upcxx::atomic_op::fetch_add,
                                             upcxx::atomic_op::compare_exchange});
  upcxx::global_ptr<std::int64_t> counter;
  if (upcxx::rank_me() == 0) counter = upcxx::new_<std::int64_t>(0);
  counter = upcxx::broadcast(counter, 0).wait();
  std::int64_t before = -1;
  bool growing = true;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t now = domain.fetch_add(counter, 1, std::memory_order_relaxed).wait();
    growing = growing && now > before;
    before = now;
  }
  check(growing, "fetch_add gives each rank growing numbers");
  upcxx::barrier();
  check(domain.load(counter, std::memory_order_relaxed).wait() == 100 * upcxx::rank_n(),
        "no fetch_add is lost");
  upcxx::barrier();
  domain.add(counter, -1, std::memory_order_relaxed).wait();
  upcxx::barrier();
  check(domain.load(counter, std::memory_order_relaxed).wait() == 99 * upcxx::rank_n(),
        "add of a negative number");
  upcxx::barrier();
  if (upcxx::rank_me() == 0) domain.store(counter, 17, std::memory_order_relaxed).wait();
  upcxx::barrier();
  check(domain.load(counter, std::memory_order_relaxed).wait() == 17, "store replaces");
  upcxx::barrier();
  const std::int64_t seen =
      domain.compare_exchange(counter, 17, 100 + upcxx::rank_me(), std::memory_order_relaxed).wait();
  const int winners = upcxx::reduce_all(seen == 17 ? 1 : 0, upcxx::op_fast_add).wait();
  check(winners == 1, "of all that compare and exchange, one does");
  domain.destroy();
}

void test_local_team() {
  upcxx::team& team = upcxx::local_team();
  check(team[team.rank_me()] == upcxx::rank_me(), "a rank finds itself in its team");
  check(team.from_world(upcxx::rank_me()) == team.rank_me(), "from_world turns it round");
  const upcxx::dist_object<upcxx::global_ptr<int>> values(upcxx::new_<int>(upcxx::rank_me() + 100));
  for (int rank = 0; rank < team.rank_n(); ++rank) {
    const upcxx::global_ptr<int> theirs = values.fetch(team[rank]).wait();
    check(theirs.is_local() && *theirs.local() == team[rank] + 100,
          "memory of the team's ranks can be loaded from");
  }
  const int smallest = upcxx::reduce_all(upcxx::rank_me(), upcxx::op_fast_min, team).wait();
  check(smallest == team[0], "collectives of a team take its ranks alone");
  upcxx::barrier();
}

/// What UPC++ forbids: in a callback that progress() calls, nothing becomes ready.
void wait_in_callback_of_progress() {
  const upcxx::dist_object<upcxx::global_ptr<int>> values(upcxx::new_<int>(1));
  const upcxx::global_ptr<int> theirs = values.fetch(next_rank()).wait();
  if (upcxx::rank_me() == 0) upcxx::rget(theirs).then([&](int) { upcxx::rget(theirs).wait(); }).wait();
  upcxx::barrier();
}

}  // namespace

int main(int argc, char**) {
  upcxx::init();
  if (argc > 1) wait_in_callback_of_progress();
  test_global_pointers();
  test_pointers_to_bases();
  test_transfers();
  test_stretches();
  test_futures();
  test_promises();
  test_wait_in_callback();
  test_dist_object_waits_for_nobody();
  test_many_at_once();
  test_allocation();
  test_constructors_that_throw();
  test_collectives();
  test_atomics();
  test_local_team();
  const int all_failures = upcxx::reduce_all(failures, upcxx::op_fast_add).wait();
  if (upcxx::rank_me() == 0 && all_failures == 0)
    std::printf("all as promised on %d ranks, %d of them on the first node\n", upcxx::rank_n(),
                upcxx::local_team().rank_n());
  upcxx::finalize();
  return all_failures == 0 ? 0 : 1;
}
