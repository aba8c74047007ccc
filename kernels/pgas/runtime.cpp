// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <boost/interprocess/managed_external_buffer.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <upcxx/upcxx.hpp>

#include "heap_size.hpp"

namespace upcxx {
namespace {

constexpr std::size_t cache_line_bytes = 64;
/// How many requests one progress() tests: its cost must not grow with the number of requests under way.
constexpr std::size_t tested_requests = 64;
/// The most requests under way at once: for each of them, Open MPI's one-sided communication by messages
/// searches through all. With 16,000 a get of 4 bytes took 2.3 ms, with this limit 0.02 ms.
constexpr std::size_t most_requests = 64;

using Heap = boost::interprocess::managed_external_buffer;

/// The state between init() and finalize().
struct Runtime {
  bool owns_mpi = false;
  std::unique_ptr<team> world;
  std::unique_ptr<team> local;
  MPI_Win shared_window = MPI_WIN_NULL;
  detail::Segments segments;
  Heap heap;
  std::vector<MPI_Request> requests;
  std::vector<std::function<void()>> completions;  ///< shape [requests]
  std::size_t next_tested = 0;
  std::vector<std::function<void()>> ready;  ///< for progress() to call
  /// For each other rank: what waits until puts and updates have arrived there, and gathered stretches here.
  std::map<intrank_t, std::vector<std::function<void()>>> unflushed;
};

std::unique_ptr<Runtime> runtime;
int initializations = 0;

/// Ends the program on all ranks, with one line, if any rank has a problem. Collective.
void stop_if_any(const std::string& problem) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine = problem.empty() ? std::numeric_limits<int>::max() : rank;
  int first = mine;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == std::numeric_limits<int>::max()) return;
  if (first == rank) std::fprintf(stderr, "upcxx: %s\n", problem.c_str());
  MPI_Finalize();
  std::exit(1);
}

std::vector<intrank_t> world_ranks_of(MPI_Comm comm) {
  int ranks = 0;
  int mine = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  std::vector<intrank_t> world_ranks(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, 1, MPI_INT, world_ranks.data(), 1, MPI_INT, comm);
  return world_ranks;
}

struct Node {
  MPI_Comm comm = MPI_COMM_NULL;
  int ranks_of_machine = 0;
};

/// The ranks that share this one's memory. With PGAS_RANKS_PER_NODE=n, no more than n consecutive ones count
/// as a node, so that communication between nodes can be tried on one machine.
Node split_into_nodes() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm sharing = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing);
  Node node{sharing, 0};
  MPI_Comm_size(sharing, &node.ranks_of_machine);
  const char* text = std::getenv("PGAS_RANKS_PER_NODE");
  const int ranks_per_node = text == nullptr ? node.ranks_of_machine : std::atoi(text);
  stop_if_any(ranks_per_node >= 1 ? ""
                                  : "PGAS_RANKS_PER_NODE: '" + std::string(text) + "' is no number of ranks");
  if (text == nullptr) return node;
  MPI_Comm_split(sharing, rank / ranks_per_node, rank, &node.comm);
  MPI_Comm_free(&sharing);
  return node;
}

void make_segments(Runtime& made) {
  MPI_Info apart = MPI_INFO_NULL;
  MPI_Info_create(&apart);
  MPI_Info_set(apart, "alloc_shared_noncontig", "true");
  const auto size = static_cast<MPI_Aint>(made.segments.size_bytes);
  void* mine = nullptr;
  MPI_Comm_set_errhandler(made.local->comm(), MPI_ERRORS_RETURN);
  const int allocated =
      MPI_Win_allocate_shared(size, 1, apart, made.local->comm(), &mine, &made.shared_window);
  MPI_Info_free(&apart);
  stop_if_any(allocated == MPI_SUCCESS
                  ? ""
                  : "MPI has no shared memory for heaps of this size. Lower UPCXX_SHARED_HEAP_SIZE");
  made.segments.bases.assign(static_cast<std::size_t>(made.world->rank_n()), nullptr);
  for (intrank_t rank = 0; rank < made.local->rank_n(); ++rank) {
    MPI_Aint ignored_size = 0;
    int ignored_unit = 0;
    void* base = nullptr;
    MPI_Win_shared_query(made.shared_window, rank, &ignored_size, &ignored_unit, &base);
    made.segments.bases[static_cast<std::size_t>((*made.local)[rank])] = static_cast<std::byte*>(base);
  }
  MPI_Win_lock_all(MPI_MODE_NOCHECK, made.shared_window);
  made.segments.window = made.shared_window;
  if (made.local->rank_n() < made.world->rank_n()) {
    MPI_Comm_set_errhandler(made.world->comm(), MPI_ERRORS_RETURN);
    const int created =
        MPI_Win_create(mine, size, 1, MPI_INFO_NULL, made.world->comm(), &made.segments.window);
    MPI_Comm_set_errhandler(made.world->comm(), MPI_ERRORS_ARE_FATAL);
    stop_if_any(created == MPI_SUCCESS
                    ? ""
                    : "MPI has no one-sided communication over this network. With Debian's "
                      "Open MPI, set OMPI_MCA_osc=^ucx");
    MPI_Win_lock_all(MPI_MODE_NOCHECK, made.segments.window);
  }
  // MPI may begin a segment anywhere.
  void* aligned = mine;
  std::size_t left_bytes = made.segments.size_bytes;
  std::align(cache_line_bytes, left_bytes - cache_line_bytes, aligned, left_bytes);
  made.heap = Heap(boost::interprocess::create_only, aligned, left_bytes);
}

/// From here on, this rank sees what others have stored and put, and others see what this rank has.
void synchronize_memory() {
  MPI_Win_sync(runtime->shared_window);
  MPI_Win_sync(runtime->segments.window);
}

/// Whether this node has a network card that reaches into the memory of others: InfiniBand, RoCE, Omni-Path.
bool has_rdma_device() {
  std::error_code none;
  return std::filesystem::directory_iterator("/sys/class/infiniband", none) !=
         std::filesystem::directory_iterator();
}

}  // namespace

void init() {
  if (initializations++ > 0) return;
  int mpi_is_running = 0;
  MPI_Initialized(&mpi_is_running);
  if (mpi_is_running == 0) {
    // With PGAS_RANKS_PER_NODE, several nodes are one machine. Open MPI may then choose a component that
    // copies from process to process, which containers forbid. Without rdma and ucx, it sends messages.
    if (std::getenv("PGAS_RANKS_PER_NODE") != nullptr) ::setenv("OMPI_MCA_osc", "^rdma,ucx", 0);
    // Debian's configuration switches off the component that sends messages, which networks without RDMA
    // need.
    if (!has_rdma_device()) ::setenv("OMPI_MCA_osc", "^ucx", 0);
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  auto made = std::make_unique<Runtime>();
  made->owns_mpi = mpi_is_running == 0;
  made->world = std::make_unique<team>(MPI_COMM_WORLD, world_ranks_of(MPI_COMM_WORLD));
  const Node node = split_into_nodes();
  made->local = std::make_unique<team>(node.comm, world_ranks_of(node.comm));
  const detail::HeapSize heap = detail::heap_size(node.ranks_of_machine);
  stop_if_any(heap.problem);
  made->segments.size_bytes = heap.size_bytes;
  make_segments(*made);
  runtime = std::move(made);
  barrier();
}

void finalize() {
  if (--initializations > 0) return;
  barrier();
  while (!runtime->requests.empty() || !runtime->unflushed.empty() || !runtime->ready.empty())
    progress();
  if (runtime->segments.window != runtime->shared_window) {
    MPI_Win_unlock_all(runtime->segments.window);
    MPI_Win_free(&runtime->segments.window);
  }
  MPI_Win_unlock_all(runtime->shared_window);
  MPI_Win_free(&runtime->shared_window);
  runtime->local->destroy(entry_barrier::none);
  const bool owned_mpi = runtime->owns_mpi;
  runtime.reset();
  if (owned_mpi) MPI_Finalize();
}

bool initialized() {
  return runtime != nullptr;
}

team::team(MPI_Comm comm, std::vector<intrank_t> world_ranks)
    : comm_(comm), world_ranks_(std::move(world_ranks)) {
  if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank_);
}

intrank_t team::from_world(intrank_t world_rank, intrank_t otherwise) const {
  const auto found = std::find(world_ranks_.begin(), world_ranks_.end(), world_rank);
  return found == world_ranks_.end() ? otherwise : static_cast<intrank_t>(found - world_ranks_.begin());
}

team team::split(intrank_t color, intrank_t key) const {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm_, color == color_none ? MPI_UNDEFINED : color, key, &part);
  if (part == MPI_COMM_NULL) return {part, {}};
  return {part, world_ranks_of(part)};
}

void team::destroy(entry_barrier entry) {
  if (comm_ == MPI_COMM_NULL) return;
  if (entry != entry_barrier::none) barrier(*this);
  MPI_Comm_free(&comm_);
}

team& world() {
  return *runtime->world;
}
team& local_team() {
  return *runtime->local;
}
intrank_t rank_me() {
  return world().rank_me();
}
intrank_t rank_n() {
  return world().rank_n();
}

namespace {

/// Flushes once for each rank, however many operations to or from it are under way.
void flush_ranks() {
  for (auto& [rank, completions] : std::exchange(runtime->unflushed, {})) {
    MPI_Win_flush(rank, runtime->segments.window);
    std::move(completions.begin(), completions.end(), std::back_inserter(runtime->ready));
  }
}

/// Tests the next requests in turn, so that no request waits for ever behind others.
void complete_requests() {
  std::vector<MPI_Request>& requests = runtime->requests;
  if (runtime->next_tested >= requests.size()) runtime->next_tested = 0;
  const std::size_t begin = runtime->next_tested;
  const std::size_t tested = std::min(tested_requests, requests.size() - begin);
  std::array<int, tested_requests> finished = {};
  int count = 0;
  MPI_Testsome(static_cast<int>(tested), requests.data() + begin, &count, finished.data(),
               MPI_STATUSES_IGNORE);
  if (count <= 0) {
    runtime->next_tested += tested;
    return;
  }
  std::sort(finished.begin(), finished.begin() + count);
  for (int i = count; i-- > 0;) {
    // The last request takes the finished one's place; it is still under way, or has been tested already.
    const std::size_t place = begin + static_cast<std::size_t>(finished[static_cast<std::size_t>(i)]);
    runtime->ready.push_back(
        std::exchange(runtime->completions[place], std::move(runtime->completions.back())));
    requests[place] = requests.back();
    requests.pop_back();
    runtime->completions.pop_back();
  }
}

}  // namespace

namespace {

/// Continuations that are to be called, in order.
std::deque<std::function<void()>> waiting;
bool running = false;      ///< whether one of them is being called
bool progressing = false;  ///< whether progress() is calling them

void run_waiting() {
  const bool nested = std::exchange(running, true);
  while (!waiting.empty()) {
    const auto next = std::move(waiting.front());
    waiting.pop_front();
    next();
  }
  running = nested;
}

}  // namespace

void progress(progress_level level) {
  if (runtime->unflushed.empty() && runtime->requests.empty()) {
    // Others may need this rank to take part in their communication.
    int ignored = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &ignored, MPI_STATUS_IGNORE);
  }
  flush_ranks();
  if (!runtime->requests.empty()) complete_requests();
  if (level == progress_level::internal || progressing) return;
  progressing = true;
  std::ranges::move(std::exchange(runtime->ready, {}), std::back_inserter(waiting));
  run_waiting();
  progressing = false;
}

void barrier(const team& members) {
  barrier_async(members).wait();
}

future<> barrier_async(const team& members) {
  synchronize_memory();
  const auto state = std::make_shared<detail::SharedState<>>();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(members.comm(), &request);
  detail::when_complete(request, [state] {
    synchronize_memory();
    state->fulfil({});
  });
  return future<>(state);
}

const char* bad_shared_alloc::what() const noexcept {
  return "the shared heap is full. Raise UPCXX_SHARED_HEAP_SIZE (MB a rank)";
}

namespace detail {

const Segments& segments() {
  return runtime->segments;
}

void await_room_for_requests() {
  while (runtime->requests.size() >= most_requests)
    complete_requests();
}

void when_complete(MPI_Request request, std::function<void()> completed) {
  runtime->requests.push_back(request);
  runtime->completions.push_back(std::move(completed));
}

void when_there(intrank_t rank, std::function<void()> completed) {
  runtime->unflushed[rank].push_back(std::move(completed));
}

void run_soon(std::function<void()> run) {
  waiting.push_back(std::move(run));
  if (!running) run_waiting();
}

void progress_of_wait() {
  if (progressing) {
    std::fprintf(
        stderr,
        "upcxx: wait() in a callback, for what is not ready (nothing becomes ready before the callback "
        "returns). Return the future from the callback instead\n");
    std::_Exit(1);  // without finalize(): the launcher then ends the other ranks
  }
  progress();
}

void* allocate_bytes(std::size_t size_bytes, std::size_t alignment) {
  const std::size_t at_least = std::max(alignment, alignof(std::max_align_t));
  return runtime->heap.allocate_aligned(std::max<std::size_t>(size_bytes, 1), at_least, std::nothrow);
}

void deallocate_bytes(void* memory) {
  runtime->heap.deallocate(memory);
}

}  // namespace detail
}  // namespace upcxx
