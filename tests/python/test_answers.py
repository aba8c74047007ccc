# SPDX-License-Identifier: MIT
"""Answers are the command's, as DataFrames."""
import contextlib
import io
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import finegrain
import pandas
import pytest

HEAT = dict(heat="400x600", mprocs=4, nprocs=8, ranks_per_node=16, iterations=100)
HEAT_FLAGS = ["--heat", "400x600", "--mprocs", 4, "--nprocs", 8, "--ranks-per-node", 16, "--iterations", 100]


@pytest.mark.parametrize("name", ["predict", "compare"])
def test_an_answer_has_the_figures_and_columns_that_the_command_prints(name, command):
    frame = getattr(finegrain, name)(platform=["abel", "hdr_infiniband"], **HEAT)
    printed = command(name, *HEAT_FLAGS, "--platform", "abel,hdr_infiniband", "--format", "csv")
    expected = pandas.read_csv(io.StringIO(printed), comment="#")
    pandas.testing.assert_frame_equal(frame, expected, check_dtype=False)
    assert list(frame["platform"]) == ["abel", "hdr_infiniband"]
    assert "seconds of 100 iterations" in frame.attrs["title"]


def test_simulations_run_one_after_the_other_and_at_the_same_time_in_one_interpreter():
    platforms = ["abel", "hdr_infiniband", "abel"]
    in_turn = [finegrain.replay(platform=one, **HEAT)["simulated_s"][0] for one in platforms]
    with ThreadPoolExecutor() as threads:
        together = list(threads.map(lambda one: finegrain.replay(platform=one, **HEAT)["simulated_s"][0], platforms))
    by_jobs = finegrain.replay(platform=["abel", "hdr_infiniband"], jobs=2, **HEAT)["simulated_s"]
    assert in_turn == together
    assert list(by_jobs) == in_turn[:2]
    assert in_turn[0] == in_turn[2] != in_turn[1]


def test_a_replay_has_its_phases_in_a_second_table():
    phases = finegrain.replay(table="phases", per_rank=True, platform="abel", **HEAT)
    assert set(phases["rank"]) == set(range(4 * 8))
    assert "simulated_us" in phases.columns


def test_a_replay_has_the_waits_of_each_rank_by_cause():
    waits = finegrain.replay(table="waits", waits="ranks", platform="abel", **HEAT)
    causes = ["late_sender_s", "late_receiver_s", "late_collective_s", "transfer_s", "contention_s", "lock_s"]
    sums = waits[causes].astype(float).fillna(0).sum(axis=1)
    assert (sums - waits["wait_s"]).abs().max() < 1e-9 and (waits["wait_s"] > 0).all()
    assert len(waits) == 1 + 4 * 8  # the mean of all comes first


def test_a_cost_that_is_set_wins_over_the_platforms():
    as_it_is = finegrain.predict(platform="abel", **HEAT)["closed_form_s"][0]
    slower = finegrain.predict(platform="abel", set={"memory_bandwidth": "1GBps", "memory_bandwidth_per_core": "1GBps"},
                               **HEAT)["closed_form_s"][0]
    assert slower > 10 * as_it_is


@pytest.mark.parametrize("call", [
    lambda: finegrain.predict(help=True), lambda: finegrain.predict(version=True, **HEAT),
    lambda: finegrain.tables("trace", "--help"), lambda: finegrain.tables("--version"),
    lambda: finegrain.mesh("a.fgm", help=True), lambda: finegrain.schedule(help=True), lambda: finegrain.options(False),
    lambda: finegrain.options(None), lambda: finegrain.options("no such command"),
    lambda: finegrain.predict(platform="a\0b", **HEAT), lambda: finegrain.predict(platform="\ud800", **HEAT),
    lambda: finegrain.tables("trace", "info", "a\0b"), lambda: finegrain.options("\ud800"),
    lambda: finegrain.read_trace("a\0b"), lambda: finegrain.read_trace("\ud800"), lambda: finegrain.read_trace(5),
    lambda: finegrain.read_matrix("a\0.fgm"), lambda: finegrain.read_matrix("\ud800"),
    lambda: finegrain.read_platform("a\0b"), lambda: finegrain.read_platform("\ud800"),
    lambda: finegrain.schedule(matrix="a\0b", ranks=2), lambda: finegrain.counts(matrix="\ud800", ranks=2),
    lambda: finegrain.study(5), lambda: finegrain.replay(table=99, platform="abel", **HEAT),
    lambda: finegrain.predict(platform=b"no\xff.xml", **HEAT)])
def test_what_cannot_be_given_is_an_input_error_in_one_line(call):
    with pytest.raises(finegrain.InputError) as error:
        call()
    assert str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", [{"platform": "nowhere.xml"}, {"platform": "abel", "policie": "block"},
                                   {"platform": "abel", "policy": "fastest"}])
def test_an_error_is_the_commands_line(wrong, command):
    flags = [f"--{name}={value}" for name, value in wrong.items()]
    with pytest.raises(finegrain.InputError) as error:
        finegrain.predict(**HEAT, **wrong)
    assert "finegrain: " + str(error.value) == command("predict", *HEAT_FLAGS, *flags).strip()
    assert isinstance(error.value, ValueError)


def test_ctrl_c_ends_a_simulation_and_leaves_the_interpreter_running():
    program = """
import finegrain, os, time
print("begun", flush=True)
try:
    finegrain.replay(heat="20000x40000", ranks=1024, ranks_per_node=16, iterations=1000000, tolerance=0, platform="abel")
except KeyboardInterrupt:
    print("interrupted", finegrain.predict(heat="400x600", ranks=4, platform="abel")["ranks"][0], flush=True)
    children = open(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read()
    print("children:", children.split(), flush=True)
"""
    running = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert running.stdout.readline() == "begun\n"
    children = f"/proc/{running.pid}/task/{running.pid}/children"
    while not open(children).read():  # the simulation has begun
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    assert running.communicate()[0].splitlines() == ["interrupted 4", "children: []"]


def test_on_a_terminal_a_bar_says_how_far_a_call_is_and_is_wiped_away():
    program = f"import finegrain; finegrain.replay(platform=['abel', 'hdr_infiniband'], jobs=1, **{HEAT})"
    terminal, programs_end = pty.openpty()
    running = subprocess.Popen([sys.executable, "-c", program], stderr=programs_end)
    os.close(programs_end)
    shown = b""
    with contextlib.suppress(OSError):  # the end, once nobody has the other end open
        while piece := os.read(terminal, 4096):
            shown += piece
    os.close(terminal)
    assert running.wait() == 0
    bars = shown.decode().split("\r")
    assert "simulating [--------------------] 0/2" in bars
    assert any(bar.startswith("simulating [##########----------] 1/2, ") for bar in bars)
    assert bars[-2:] == [" " * len(bars[-2]), ""]


def test_where_nobody_watches_there_is_no_bar(capfd):
    finegrain.replay(platform="abel", **HEAT)
    assert capfd.readouterr().err == ""


def test_other_threads_of_python_go_on_during_a_simulation():
    ticks = []
    done = threading.Event()
    threading.Thread(target=lambda: [ticks.append(0) or time.sleep(0.001) for _ in iter(done.is_set, True)]).start()
    try:
        before = len(ticks)
        finegrain.replay(platform="abel", **HEAT)
        assert len(ticks) > before
    finally:
        done.set()


def test_all_options_of_a_function_are_flags_of_its_command(command):
    listed = list(finegrain.options("replay")["option"])
    text = command("replay", "--help-all")
    assert {"platform", "ranks_per_node", "policy", "blocksize", "jobs", "tolerance"} <= set(listed)
    assert [option for option in listed if "--" + option.replace("_", "-") not in text] == []


def test_a_study_goes_on_where_it_stopped(heart, tmp_path, capsys):
    axes = {"matrix": heart, "ranks": [2, 4], "ranks_per_node": 2, "platform": "abel", "policy": ["condensed", "block"]}
    database = tmp_path / "heart.sqlite"
    first = finegrain.study(axes, database, simulate="all")
    assert list(first["ranks"]) == [2, 4] * 2
    assert first["simulated_s"].notna().all()
    assert "0 are simulated already" in capsys.readouterr().err
    again = finegrain.study(tmp_path / "heart.toml", database)
    assert "4 are simulated already" in capsys.readouterr().err
    pandas.testing.assert_frame_equal(first, again)


def test_tune_puts_the_fastest_first_and_names_the_command_that_runs_it(heart):
    best = finegrain.tune(matrix=heart, platform="abel", nodes=[1, 2], ranks_per_node=2, policy="condensed",
                          blocksize="auto", placement="block", iterations=10)
    simulated = best["simulated_s"].dropna()
    assert simulated.iloc[0] == simulated.min()
    assert best.attrs["notes"][0].startswith("run: ")
