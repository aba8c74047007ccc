# SPDX-License-Identifier: MIT
"""What is read is there as arrays."""
import os
import subprocess

import finegrain
import numpy
import pytest


def test_a_platforms_properties_carry_their_units():
    abel = finegrain.read_platform("abel")
    assert abel.name == "abel"
    assert abel.properties["tau_s"] == pytest.approx(3.4e-6)
    changed = finegrain.read_platform(abel, set={"tau": "1us"})
    assert changed.properties["tau_s"] == pytest.approx(1e-6)
    with pytest.raises(finegrain.InputError, match="nowhere.xml: cannot be opened"):
        finegrain.read_platform("nowhere.xml")


def test_a_matrix_is_seen_and_not_copied(heart):
    assert heart.rows == 2000
    assert heart.columns.shape == heart.values.shape == (heart.rows, 4 * 4)
    assert heart.columns.base is heart
    assert not heart.columns.flags.writeable
    assert numpy.shares_memory(heart.values, heart.values)
    columns = heart.columns
    del heart  # the array keeps it
    assert 0 <= columns.min() and columns.max() < len(columns)


def test_a_matrix_that_is_made_equals_the_one_in_the_file(heart):
    made = finegrain.read_matrix(tets=2000)
    assert numpy.array_equal(made.columns, heart.columns)
    with pytest.raises(finegrain.InputError, match="it is no file yet"):
        os.fspath(made)
    # OpenMP has run here now, and still works in the processes that simulations are.
    again = finegrain.mesh(os.fspath(heart) + ".again.fgm", tets=2000)
    assert numpy.array_equal(made.columns, again.columns)


def test_what_ranks_need_of_each_other_is_what_the_matrix_says(heart):
    ranks = 4
    counted = finegrain.counts(matrix=heart, ranks=ranks, ranks_per_node=2, policy="condensed")
    owner = numpy.arange(heart.rows) // (heart.rows // ranks)
    expected = numpy.zeros((ranks, ranks), int)
    for rank in range(ranks):
        read = numpy.unique(heart.columns[owner == rank])
        expected[rank] = numpy.bincount(owner[read], minlength=ranks)
        expected[rank, rank] = 0
    assert numpy.array_equal(counted["needs_values"], expected)
    # The owner sends each value, 8 bytes, in one message.
    assert numpy.array_equal(counted["bytes"], 8 * expected.T)
    assert numpy.array_equal(counted["messages"], expected.T > 0)
    assert counted["rows"].sum() == heart.rows


def test_a_traces_messages_are_those_of_its_schedule(heart, tmp_path):
    trace_path = tmp_path / "trace"
    subprocess.run(["finegrain", "record", "spmv", "--matrix", heart, "--policy", "condensed", "--ranks", "2",
                    "--iterations", "3", "--out", trace_path], check=True, capture_output=True)
    trace = finegrain.read_trace(trace_path)
    assert (trace.ranks, trace.run) == (2, "spmv condensed two-sided")
    messages = trace.messages()
    sent = messages[messages["kind"] == trace.kinds.index("send")]
    counted = finegrain.counts(matrix=heart, ranks=2, policy="condensed")
    assert sent["size_bytes"].sum() == 3 * counted["bytes"].sum()
    assert (messages["end_ns"] >= messages["start_ns"]).all()
    assert len(trace.messages(rank=1)) + len(trace.messages(rank=0)) == len(messages)
    with pytest.raises(finegrain.InputError, match="manifest.json"):
        finegrain.read_trace(tmp_path)
