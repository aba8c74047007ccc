// SPDX-License-Identifier: MIT
//
// Writes the files that the fuzz targets start from: FOLDER/<reader>/<name>, small ones of every kind.
//   fuzz_seeds FOLDER
#include <filesystem>
#include <random>

#include "kernels/problem/matrix_file.hpp"
#include "kernels/problem/mesh_matrix.hpp"
#include "tests/kernels/problem/mesh_files.hpp"
#include "tests/sim/study/small_database.hpp"
#include "tests/traces/recording.hpp"
#include "traces/call_encoder.hpp"
#include "traces/chunk.hpp"
#include "traces/packed_trace.hpp"

namespace finegrain {
namespace {

namespace fs = std::filesystem;
using namespace test;

void write_meshes(const fs::path& folder) {
  for (const int cells : {1, 2}) {
    const problem::TetMesh mesh = cube(cells);
    const std::string name = std::to_string(cells);
    for (const Content content : {Content::text, Content::bytes}) {
      const std::string kind = content == Content::text ? "_text_" : "_bytes_";
      write_file(folder / "gmsh" / ("2_2" + kind + name), gmsh_2_2(mesh, content));
      write_file(folder / "gmsh" / ("4_1" + kind + name), gmsh_4_1(mesh, content));
    }
    for (const int first : {0, 1})
      write_file(folder / "tetgen" / (std::to_string(first) + "_" + name),
                 tetgen_nodes(mesh, first) + '\0' + tetgen_tets(mesh, first));
    const problem::EllpackMatrix matrix = mesh_matrix(mesh, problem::RowOrder::none, 1);
    write_file(folder / "matrix_market" / name, matrix_market(matrix.view()));
    write_matrix(folder / "matrix" / name, matrix.view(), "a cube");
  }
  write_matrix(folder / "matrix/smallest", problem::EllpackMatrix{1, {1}, {0}, {0}}.view(), "");
  write_file(folder / "matrix_market/symmetric",
             "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n");
  for (const char* name : {"cube_4_1_second_order.msh", "cube_2_2_binary_second_order.msh"})
    write_file(folder / "gmsh" / name, read_file(fs::path(SAMPLES) / name));
}

/// As a Recorder would hand them to it.
std::string content_of(const RankRecording& recording) {
  ChunkEncoder encoder;
  for (const RecordedIteration& recorded : recording) {
    IterationTimes times{recorded.time, recorded.regions, {}, {}};
    for (const Interval& post : recorded.posts) {
      times.ends.push_back({static_cast<std::int32_t>(times.starts_ns.size()), post.end_ns});
      times.starts_ns.push_back(post.start_ns);
    }
    encoder.add(recorded.body, times);
  }
  const std::vector<std::byte> bytes = encoder.take().bytes;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A few calls, with a receive from any source, a collective with sizes, a communicator, and a buffered send
/// of a second thread.
std::string content_of_calls() {
  CallEncoder encoder(1);
  const std::uint32_t function = encoder.define_function("MPI_Irecv");
  const std::vector<std::int32_t> ranks{0, 3, 5};
  const std::int32_t communicator = encoder.define_communicator(7, ranks);
  const std::uint32_t file = encoder.define_function("@00ff /home/me/halo");
  const std::uint32_t place = encoder.define_function("@@" + std::to_string(file) + "+1a2f ?");
  CallSignature signature;
  for (int i = 0; i < 3; ++i) {
    signature.begin(function);
    signature.place(place);
    signature.post({.kind = TransferKind::receive, .any_source = true, .peer = -1, .size_bytes = 64});
    encoder.add(signature, 0, 100 * i, 100 * i + 10);
    signature.begin(function);
    signature.bind(1, 2, 3);
    signature.complete(1);
    encoder.add_wait_for_core(20);
    encoder.add(signature, 0, 100 * i + 50, 100 * i + 60);
    signature.begin(function);
    signature.collective({.kind = CollectiveKind::allgatherv, .communicator = communicator, .size_bytes = 8},
                         std::vector<std::int64_t>{8, 16, 24});
    signature.lock({.exclusive = true, .window = communicator, .peer = 1});
    encoder.add(signature, 2, 100 * i + 70, 100 * i + 80);
    signature.begin(function);
    signature.thread(1);
    signature.post(
        {.kind = TransferKind::send, .blocking = true, .is_buffered = true, .peer = 2, .size_bytes = 8});
    encoder.add(signature, 0, 100 * i + 65, 100 * i + 75);
  }
  const std::vector<std::byte> bytes = encoder.take().bytes;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_traces(const fs::path& folder) {
  write_file(folder / "calls" / "few", content_of_calls());
  std::mt19937_64 random(1);
  for (const int iterations : {0, 1, 4, 20}) {
    const std::string name = std::to_string(iterations);
    const RankRecording recording = random_recording(random, 9, iterations);
    write_file(folder / "chunk" / name, content_of(recording));
    const TraceFolder trace;
    record_trace(trace.path(), std::vector<RankRecording>(9, recording));
    write_file(folder / "rank_file" / name, read_file(trace.path() / "rank_00000.fgt"));
    write_file(folder / "manifest" / name, read_file(trace.path() / manifest_file_name));
    write_file(folder / "trace" / name, read_file(trace.path() / manifest_file_name) + '\0' +
                                            read_file(trace.path() / "rank_00000.fgt"));
    pack_trace(trace.path(), folder / "packed_trace" / name);
  }
  Manifest spmv = manifest_of(1, 1);
  spmv.run.problem = {"spmv", {{"matrix", "heart.fgm"}, {"rows", 1000}, {"blocksize", 1000}}};
  const TraceFolder trace;
  write_manifest(trace.path(), spmv);
  write_file(folder / "manifest/spmv", read_file(trace.path() / manifest_file_name));
}

void write_others_traces(const fs::path& folder) {
  write_file(folder / "time_independent/messages",
             "0 init\n0 compute 1e6\n0 isend 1 3 10 0\n0 waitall 1\n0 sendRecv 1 1 2 1 0 0\n0 finalize\n"
             "1 init\n1 irecv -333 -444 10 0\n1 test 0 1 3\n1 wait 0 1 3\n1 recv 0 0 1\n1 send 0 0 2\n");
  write_file(folder / "goal/two_ranks",
             "num_ranks 2 // both\nrank 0 {\nl1: calc 100 cpu 1\nl2: send 8b to 1 tag 3 cpu 0 nic 0\n"
             "l2 requires l1\nl3: recv 4b from -1 tag -1\nl3 irequires l2\n}\n"
             "rank 1 {\n/* first */ a: recv 8b from 0 tag 3\nsend 4b to 0\n}\n");
  write_file(folder / "goal_binary/three_ranks", read_file(GOAL_BINARY));
  write_file(folder / "time_independent/collectives",
             "0 init 1\n0 gatherv 1 2 3 0 0 0\n0 alltoallv 3 1 2 3 1 2 1 1\n0 reducescatter 1 2 5 0\n0 "
             "reduce 4 9 1 0\n"
             "0 ibcast 5 1 0\n0 wait 0 0 -9\n0 Put 1 0 4 0\n0 Win_fence\n"
             "1 init\n1 gatherv 1 2 3 0 0 0\n1 alltoallv 3 1 2 3 1 2 1 1\n1 reducescatter 1 2 5 0\n1 reduce "
             "4 9 1 0\n"
             "1 ibcast 5 1 0\n1 wait 0 0 -9\n1 Win_fence\n");
}

void write_platforms(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(PLATFORMS))
    for (const char* reader : {"platform", "simgrid"})
      write_file(folder / reader / entry.path().filename(), read_file(entry.path()));
  write_file(folder / "platform/reaches_outside",
             "<!DOCTYPE platform [<!ENTITY x SYSTEM 'y'>]><platform version='4.1'><config><prop id='tracing' "
             "value='yes'/></config><include file='z'/><zone><trace id='t' file='u'>0 1</trace>"
             "<trace_connect trace='t'/><![CDATA[&x;]]><!-- c --></zone></platform>");
}

void write_studies(const fs::path& folder) {
  write_file(folder / "study_file/spmv",
             "version = 1\niterations = 3\nthreads = 2\nsimulate = \"best 2\"\nbest_of_each = "
             "[\"platform\"]\n[axes]\n"
             "tets = [100, \"200..300 step 50\"]\nordering = [\"rcm\", \"none\"]\npolicy = \"condensed put "
             "overlapped\"\n"
             "ranks_per_node = 4\nnodes = \"powers of two 1..8\"\nblocksize = [\"auto\", 64]\nplacement = "
             "\"cyclic\"\n"
             "platform = \"p.xml\"\nset = [{}, {tau = \"x2\", link_latency = \"/10\"}]\n");
  write_file(
      folder / "study_file/heat",
      "version = 1\nsimulate = \"all\"\n[axes]\nheat = \"20x30\"\nranks = [1, 4]\nplatform = [\"p.xml\"]\n");
  write_file(folder / "accesses/small",
             "rank,owner,address,bytes,access,point\n0,1,0,8,read,0 # first\n1 0 16 64 write "
             "0\n2,0,4096,8,read,1\n");
  const fs::path path = folder / "study_database/four_points";
  {
    study::Database database(path, identity(), rows_of(4));
    database.store_closed_forms({0, 2},
                                {{.total_s = 1, .phases_s = {{"pack", 1}}, .none_because = ""},
                                 {.total_s = {}, .phases_s = {}, .none_because = "no equations"}},
                                "finegrain");
  }
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec("PRAGMA page_size=512; VACUUM");
  fs::remove(path.string() + "-journal");
}

void write_site_files(const fs::path& folder) {
  const fs::path made = folder / "site_files";
  write_file(made / "ibnetdiscover", "i" + read_file(fs::path(SITE_SAMPLES) / "ibnetdiscover.txt"));
  for (const char* name : {"iblinkinfo", "iblinkinfo_line"})
    write_file(made / name, "k" + read_file(fs::path(SITE_SAMPLES) / (std::string(name) + ".txt")));
  write_file(made / "lstopo", "x" + read_file(fs::path(SITE_SAMPLES) / "lstopo.xml"));
  write_file(
      made / "osu_latency",
      "m# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n0 1.5\n1 1.6\n512 1.7\n1024 1.8\n2048 "
      "6.0\n4096 6.3\n8192 6.9\n");
  write_file(made / "osu_bw",
             "m# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1 2.4\n4194304 12300.5\n");
  write_file(
      made / "ping_pong",
      "m# Benchmarking PingPong\n# #processes = 2\n       #bytes #repetitions      t[usec]   Mbytes/sec\n"
      "            0         1000         1.59         0.00\n       134217728            1     10969.75     "
      "12235.26\n");
  write_file(made / "calibrated", "m" + read_file(fs::path(PLATFORMS) / "hdr_infiniband.xml"));
  const std::string topology =
      "# Two racks\nSwitchName=leaf1 Nodes=node[01-08] LinkSpeed=100Gb/s\nSwitchName=leaf2 "
      "Nodes=node[09-15],\\\n"
      "big1\nSwitchName=top1 Switches=leaf[1-2]\n";
  write_file(made / "topology", "t" + topology);
  write_file(made / "slurm", "s" + topology + '\0' + read_file(fs::path(SITE_SAMPLES) / "slurm.conf"));
  write_file(
      made / "topology_yaml",
      "y- topology: main\n  cluster_default: true\n  tree:\n    switches:\n      - switch: top\n        "
      "children: leaf[1-2]\n      - switch: leaf1\n        nodes: node[01-04]\n      - switch: leaf2\n     "
      "   nodes: node[05-07]\n");
  write_file(
      made / "blocks_yaml",
      "y- topology: b\n  block:\n    block_sizes: [2, 4]\n    blocks:\n      - block: b1\n        nodes: "
      "n[1-2]\n      - {block: b2, nodes: \"n3,n4\"}\n");
  int number = 0;
  for (const char* line :
       {"fat_tree: 3 levels, 40-port, 1600 nodes, 2:1; node: 2 x 64 cores; link: 200Gbps 300ns",
        "dragonfly: 8 groups, 8 switches, 4 nodes per switch, 2 links between groups; link: 200Gbps 300ns",
        "torus: 8 x 8 x 4, 250 nodes; node: 64 cores, memory_bandwidth=87GBps; link: 100Gbps 500ns",
        "switch: 12 nodes, 40-port; node: 4 cores; link: 100Gbps 500ns, message_overhead=300ns"})
    write_file(made / ("line_" + std::to_string(number++)), std::string("l") + line);
  write_file(made / "hosts", "hnode01 slots=4 max-slots=8\nnode02:2\n# none\nnode[01-03],login\n");
  write_file(made / "ranks", "rrank 0=node01 slot=0:1-2\nrank 1=+n2 slot=3\n");
}

}  // namespace
}  // namespace finegrain

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  for (const char* reader : {"accesses", "matrix", "matrix_market", "gmsh", "tetgen", "manifest", "rank_file",
                             "chunk", "calls", "trace", "packed_trace", "platform", "simgrid", "study_file",
                             "study_database", "time_independent", "goal", "goal_binary", "site_files"})
    std::filesystem::create_directories(folder / reader);
  finegrain::write_meshes(folder);
  finegrain::write_traces(folder);
  finegrain::write_others_traces(folder);
  finegrain::write_platforms(folder);
  finegrain::write_studies(folder);
  finegrain::write_site_files(folder);
}
