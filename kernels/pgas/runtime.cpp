// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/interprocess/managed_external_buffer.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <upcxx/upcxx.hpp>

namespace upcxx {
namespace {

constexpr std::size_t default_heap_bytes = std::size_t{128} << 20;
constexpr std::size_t cache_line_bytes = 64;

using Heap = boost::interprocess::managed_external_buffer;

/// All that there is between init() and finalize().
struct Runtime {
  bool owns_mpi = false;
  std::unique_ptr<team> world;
  std::unique_ptr<team> local;
  MPI_Win shared_window = MPI_WIN_NULL;
  detail::Segments segments;
  Heap heap;
  std::vector<MPI_Request> requests;
  std::vector<std::function<void()>> completions;  ///< shape [requests]
  /// What waits for puts and updates to be there, by the rank they go to.
  std::map<intrank_t, std::vector<std::function<void()>>> puts;
};

std::unique_ptr<Runtime> runtime;
int initializations = 0;

[[noreturn]] void give_up(const std::string& problem) {
  std::fprintf(stderr, "upcxx: %s\n", problem.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

std::size_t heap_bytes_asked_for() {
  const char* text = std::getenv("UPCXX_SHARED_HEAP_SIZE");
  if (text == nullptr) return default_heap_bytes;
  char* unit = nullptr;
  const double number = std::strtod(text, &unit);
  const std::string name(unit);
  double scale = 0;
  if (name.empty() || name == "MB" || name == "M" || name == "MiB") scale = 1 << 20;
  if (name == "B") scale = 1;
  if (name == "KB" || name == "K" || name == "KiB") scale = 1 << 10;
  if (name == "GB" || name == "G" || name == "GiB") scale = 1 << 30;
  if (unit == text || scale == 0 || !(number * scale >= 65536 && number * scale < 1e15))
    give_up("UPCXX_SHARED_HEAP_SIZE: '" + std::string(text) + "' is no size of 64KB or more, e.g. 512MB");
  return static_cast<std::size_t>(number * scale);
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

/// Ranks that share memory; with PGAS_RANKS_PER_NODE=n no more than n consecutive ones, so that communication
/// between nodes can be tried on one.
MPI_Comm split_into_nodes() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm sharing = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing);
  const char* text = std::getenv("PGAS_RANKS_PER_NODE");
  if (text == nullptr) return sharing;
  const int ranks_per_node = std::atoi(text);
  if (ranks_per_node < 1) give_up("PGAS_RANKS_PER_NODE: '" + std::string(text) + "' is no number of ranks");
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split(sharing, rank / ranks_per_node, rank, &node);
  MPI_Comm_free(&sharing);
  return node;
}

void make_segments(Runtime& made) {
  MPI_Info apart = MPI_INFO_NULL;
  MPI_Info_create(&apart);
  MPI_Info_set(apart, "alloc_shared_noncontig", "true");
  const auto size = static_cast<MPI_Aint>(made.segments.size_bytes);
  void* mine = nullptr;
  MPI_Win_allocate_shared(size, 1, apart, made.local->comm(), &mine, &made.shared_window);
  MPI_Info_free(&apart);
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
    MPI_Win_create(mine, size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made.segments.window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, made.segments.window);
  }
  // MPI may begin a segment anywhere.
  void* aligned = mine;
  std::size_t left_bytes = made.segments.size_bytes;
  std::align(cache_line_bytes, left_bytes - cache_line_bytes, aligned, left_bytes);
  made.heap = Heap(boost::interprocess::create_only, aligned, left_bytes);
}

/// What others have stored and put is seen from here on, and what this rank has is seen by others.
void synchronize_memory() {
  MPI_Win_sync(runtime->shared_window);
  MPI_Win_sync(runtime->segments.window);
}

}  // namespace

void init() {
  if (initializations++ > 0) return;
  int mpi_is_running = 0;
  MPI_Initialized(&mpi_is_running);
  if (mpi_is_running == 0) {
    // Between nodes that are one, Open MPI's choice may want to copy from process to process, which
    // containers forbid; this one sends messages.
    if (std::getenv("PGAS_RANKS_PER_NODE") != nullptr) ::setenv("OMPI_MCA_osc", "^rdma,ucx", 0);
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  auto made = std::make_unique<Runtime>();
  made->owns_mpi = mpi_is_running == 0;
  made->world = std::make_unique<team>(MPI_COMM_WORLD, world_ranks_of(MPI_COMM_WORLD));
  MPI_Comm node = split_into_nodes();
  made->local = std::make_unique<team>(node, world_ranks_of(node));
  made->segments.size_bytes = heap_bytes_asked_for();
  make_segments(*made);
  runtime = std::move(made);
  barrier();
}

void finalize() {
  if (--initializations > 0) return;
  barrier();
  if (runtime->segments.window != runtime->shared_window) {
    MPI_Win_unlock_all(runtime->segments.window);
    MPI_Win_free(&runtime->segments.window);
  }
  MPI_Win_unlock_all(runtime->shared_window);
  MPI_Win_free(&runtime->shared_window);
  MPI_Comm node = runtime->local->comm();
  MPI_Comm_free(&node);
  const bool owned_mpi = runtime->owns_mpi;
  runtime.reset();
  if (owned_mpi) MPI_Finalize();
}

bool initialized() {
  return runtime != nullptr;
}

team::team(MPI_Comm comm, std::vector<intrank_t> world_ranks)
    : comm_(comm), world_ranks_(std::move(world_ranks)) {
  MPI_Comm_rank(comm, &rank_);
}

intrank_t team::from_world(intrank_t world_rank, intrank_t otherwise) const {
  const auto found = std::lower_bound(world_ranks_.begin(), world_ranks_.end(), world_rank);
  if (found == world_ranks_.end() || *found != world_rank) return otherwise;
  return static_cast<intrank_t>(found - world_ranks_.begin());
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

/// One flush for all puts to a rank, however many wait for it.
void complete_puts() {
  for (auto& [rank, completions] : std::exchange(runtime->puts, {})) {
    MPI_Win_flush(rank, runtime->segments.window);
    for (auto& completed : completions)
      detail::run_soon(std::move(completed));
  }
}

}  // namespace

void progress() {
  complete_puts();
  std::vector<MPI_Request>& requests = runtime->requests;
  if (requests.empty()) {
    // Others may need this rank to take part in their communication.
    int ignored = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &ignored, MPI_STATUS_IGNORE);
    return;
  }
  std::vector<int> finished(requests.size());
  int count = 0;
  MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, finished.data(),
               MPI_STATUSES_IGNORE);
  if (count <= 0) return;
  std::vector<std::function<void()>> to_run;
  std::sort(finished.begin(), finished.begin() + count);
  for (int i = 0; i < count; ++i)
    to_run.push_back(
        std::move(runtime->completions[static_cast<std::size_t>(finished[static_cast<std::size_t>(i)])]));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    requests[kept] = requests[i];
    if (kept != i) runtime->completions[kept] = std::move(runtime->completions[i]);
    ++kept;
  }
  requests.resize(kept);
  runtime->completions.resize(kept);
  for (auto& run : to_run)
    detail::run_soon(std::move(run));
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

void when_complete(MPI_Request request, std::function<void()> completed) {
  runtime->requests.push_back(request);
  runtime->completions.push_back(std::move(completed));
}

void when_there(intrank_t rank, std::function<void()> completed) {
  runtime->puts[rank].push_back(std::move(completed));
}

void run_soon(std::function<void()> run) {
  static std::deque<std::function<void()>> waiting;
  static bool running = false;
  waiting.push_back(std::move(run));
  if (running) return;
  running = true;
  while (!waiting.empty()) {
    const auto next = std::move(waiting.front());
    waiting.pop_front();
    next();
  }
  running = false;
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
