# SPDX-License-Identifier: MIT
"""The operations and messages of schedules and traces are there as arrays."""
import csv
import io
import os
import subprocess

import finegrain
import numpy
import pytest


def record(heart, out, *flags):
    """A trace of two ranks and three iterations of SpMV."""
    subprocess.run(["finegrain", "record", "spmv", "--matrix", heart, "--ranks", "2", "--iterations", "3", "--out", out, *flags],
                   check=True, capture_output=True)
    return finegrain.read_trace(out)


def test_a_schedules_arrays_are_c_plus_plus_memory_that_cannot_be_written_to(heart):
    schedule = finegrain.schedule(matrix=heart, ranks=4, ranks_per_node=2)
    for array in [schedule.operations(), schedule.messages(rank=1), schedule.nodes]:
        assert not array.flags.writeable
        assert not array.flags.owndata  # of numpy
    assert numpy.shares_memory(schedule.nodes, schedule.nodes)
    operations = schedule.operations()
    assert operations.dtype.itemsize == 144
    nodes = schedule.nodes
    del schedule  # the arrays keep what they need
    assert list(nodes) == [0, 0, 1, 1]
    assert sorted(set(operations["rank"])) == [0, 1, 2, 3]


@pytest.mark.parametrize("flags", [{}, {"policy": "block"}, {"policy": "individual"}, {"transfer": "put", "completion": "together"},
                                   {"policy": "node-aware"}])
def test_a_ranks_messages_and_memory_are_those_that_the_command_lists(heart, command, flags):
    schedule = finegrain.schedule(matrix=heart, ranks=4, ranks_per_node=2, **flags)
    printed = command("schedule", "--matrix", os.fspath(heart), "--ranks=4", "--ranks-per-node=2", "--rank=3", "--format=csv",
                      *[f"--{name}={value}" for name, value in flags.items()])
    rows = list(csv.DictReader(line for line in io.StringIO(printed) if not line.startswith("#")))
    messages = schedule.messages(rank=3)
    listed = [(row["message"], int(row["peer"]), int(row["size_bytes"]), int(row["repeat"])) for row in rows if row["message"]]
    assert [(schedule.kinds[message["kind"]], message["peer"], message["size_bytes"], message["repeat"])
            for message in messages] == listed != []
    operations = schedule.operations(rank=3)
    steps = [row for row in rows if not row["message"]]
    for row in steps:
        of_step = operations[operations["step"] == int(row["step"])]
        assert of_step["memory_bytes"].sum() == int(row["memory_bytes"])
        assert {schedule.regions[number] for number in of_step["region"]} <= {row["phase"]}
    transfers = operations[operations["kind"] <= schedule.kinds.index("fetch")]
    for column in messages.dtype.names:
        assert numpy.array_equal(transfers[column], messages[column]), column


def test_messages_add_up_to_the_counts(heart):
    what = dict(matrix=heart, ranks=4, ranks_per_node=2, policy="condensed")
    schedule = finegrain.schedule(**what)
    messages = schedule.messages()
    sent = messages[messages["kind"] == schedule.kinds.index("send")]
    between = numpy.zeros((4, 4), int)
    numpy.add.at(between, (sent["rank"], sent["peer"]), sent["size_bytes"] * sent["repeat"])
    assert numpy.array_equal(between, finegrain.counts(**what)["bytes"])


@pytest.mark.parametrize("flags", [[], ["--policy=block"], ["--transfer=get", "--policy=inspector"]])
def test_what_a_trace_says_of_each_iteration_is_the_schedule(heart, tmp_path, flags):
    trace = record(heart, tmp_path / "trace", *flags)
    options = dict(flag.removeprefix("--").split("=") for flag in flags)
    schedule = finegrain.schedule(matrix=heart, ranks=2, **options)
    recorded = trace.operations()
    assert not recorded.flags.writeable
    assert recorded.dtype.names == (*schedule.operations().dtype.names, "iteration", "start_ns", "end_ns")
    assert (recorded["end_ns"] >= recorded["start_ns"]).all()
    for rank in range(2):
        computed = schedule.operations(rank=rank)
        for iteration in range(3):
            once = recorded[(recorded["rank"] == rank) & (recorded["iteration"] == iteration)]
            assert [name for name in computed.dtype.names if not numpy.array_equal(once[name], computed[name])] == []
    transfers = recorded[recorded["kind"] <= trace.kinds.index("fetch")]
    messages = trace.messages()
    for column in messages.dtype.names:
        assert numpy.array_equal(transfers[column], messages[column]), column


def test_sizes_of_collective_operations_are_where_their_rows_say():
    schedule = finegrain.schedule(npb_is="S", ranks=4)
    operations = schedule.operations(rank=2)
    exchange = operations[operations["kind"] == schedule.kinds.index("alltoallv")]
    assert len(exchange) > 0
    assert schedule.sizes(2).base is schedule and not schedule.sizes(2).flags.writeable
    for row in exchange:
        sizes = schedule.sizes(2)[row["first_size"]:][:row["size_count"]]
        assert len(sizes) == 2 * 4  # to each rank, then from each
        assert sizes[:4].sum() == row["size_bytes"]


@pytest.mark.parametrize("flags", [
    {}, {"matrix": "nowhere.fgm", "ranks": 4}, {"heat": "400x600"}, {"heat": "400x600", "ranks": 0}, {"heat": "400x600", "ranks": "four"},
    {"heat": "400x600", "ranks": 4, "policie": "block"}, {"heat": "400x600", "ranks": 4, "policy": "blocks"},
    {"heat": "400x600", "ranks": 4, "policy": "block"}, {"heat": "400x600", "ranks": 4, "blocksize": 8},
    {"heat": "400x600", "ranks": 4, "ranks_per_node": 0}, {"heat": "400x600", "ranks": 4, "threads": 0},
    {"heat": "400x600", "ranks": 4, "mprocs": "two"}, {"heat": "400x600", "ranks": 4, "mprocs": 3, "nprocs": 3},
    {"heat": "400x600", "ranks": 4, "placement": "topology"}, {"heat": "400x600", "ranks": 4, "placement": "random"},
    {"heat": "400x600", "npb_is": "S", "ranks": 4}])
@pytest.mark.parametrize("function", ["schedule", "counts"])
def test_an_error_is_the_commands_line(flags, function, command):
    if function == "counts" and "placement" in flags:
        return  # where ranks are changes no count of those
    with pytest.raises(finegrain.InputError) as error:
        getattr(finegrain, function)(**flags)
    words = [f"--{name.replace('_', '-')}={value}" for name, value in flags.items()]
    assert "finegrain: " + str(error.value) == command("schedule", *words).strip()
    assert "\n" not in str(error.value)
    assert error.value.__cause__ is None and error.value.__context__ is None


def test_a_rank_that_is_none_of_them_is_refused_as_by_the_command(heart, tmp_path, command):
    schedule = finegrain.schedule(heat="400x600", ranks=4)
    expected = command("schedule", "--heat=400x600", "--ranks=4", "--rank=4").strip()
    trace = record(heart, tmp_path / "trace")
    for ask in [schedule.operations, schedule.messages, schedule.sizes]:
        with pytest.raises(finegrain.InputError) as error:
            ask(4)
        assert "finegrain: " + str(error.value) == expected
    for ask in [trace.operations, trace.messages, trace.sizes]:
        with pytest.raises(finegrain.InputError, match="^--rank: -1 is not one of 2 ranks. Give 0 to 1$"):
            ask(-1)


def test_regions_of_a_program_are_named_by_function_or_by_place(heart, tmp_path):
    source = tmp_path / "hello.c"
    source.write_text("#include <mpi.h>\nint main(int n, char** words) {\n  MPI_Init(&n, &words);\n  MPI_Barrier(MPI_COMM_WORLD);\n"
                      "  return MPI_Finalize();\n}\n")
    subprocess.run(["mpicc", "-g", source, "-o", tmp_path / "hello"], check=True)
    out = tmp_path / "trace"
    subprocess.run(["finegrain", "record", "--out", out, "--", "mpirun", "-n", "2", "--oversubscribe", tmp_path / "hello"],
                   check=True, capture_output=True)

    def names(trace):
        return [trace.regions[row["region"]] for row in trace.operations(rank=1) if trace.regions[row["region"]] != "compute"]

    assert "MPI_Barrier" in names(finegrain.read_trace(out))
    assert "MPI_Barrier hello.c:4" in names(finegrain.read_trace(out, by="place"))
    with pytest.raises(ValueError, match='by is .line., not "function" or "place"'):
        finegrain.read_trace(out, by="line")
    with pytest.raises(finegrain.InputError, match="has phases, and no calls of an MPI program that have places"):
        record(heart, tmp_path / "spmv")
        finegrain.read_trace(tmp_path / "spmv", by="place")
