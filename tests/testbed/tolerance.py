#!/usr/bin/env python3
"""tolerance.py FOLDER PROGRAM...: the table of tests/testbed/tolerance from what it measured.

measured.csv has lines "program,round,added us,seconds of an iteration"; PROGRAM.json is what finegrain sensitivity said.
"""
import csv
import json
import statistics
import sys

folder, programs = sys.argv[1], sys.argv[2:]
goal = 1.05


def predicted_us(program):
    """The latency that may be added, by the factor that the links' latency tolerates. A route has two links."""
    with open(f"{folder}/{program}.json") as file:
        rows = json.load(file)[0]["rows"]
    (row,) = [row for row in rows if row["what"].endswith(", latency")]
    if row["tolerated_factor"] is None:
        return None
    number, unit = row["now"].split()
    return (row["tolerated_factor"] - 1) * 2 * float(number) * {"ns": 1e-3, "us": 1, "ms": 1e3}[unit]


def measured_us(seconds):
    """@param seconds  {round: {added us: seconds}} @returns where the medians of the ratios cross the goal"""
    added = sorted(next(iter(seconds.values())))
    ratios = [statistics.median(of[more] / of[0] for of in seconds.values()) for more in added]
    for (low, was), (high, ratio) in zip(zip(added, ratios), zip(added[1:], ratios[1:])):
        if was < goal <= ratio:
            return low + (goal - was) / (ratio - was) * (high - low)
    return None


measured = {}
with open(f"{folder}/measured.csv") as file:
    for program, run, added, seconds in csv.reader(file):
        measured.setdefault(program, {}).setdefault(run, {})[int(added)] = float(seconds)
print("| program | ms of an iteration | added us until 5 % longer, measured | each round | simulated | error |")
print("|---|---|---|---|---|---|")
for program in programs:
    rounds = measured[program]
    here, there = measured_us(rounds), predicted_us(program)
    each = [measured_us({run: seconds}) for run, seconds in rounds.items()]
    known = sorted(one for one in each if one is not None)
    print(f"| {program} | {1e3 * statistics.median(of[0] for of in rounds.values()):.1f} "
          f"| {'more than all' if here is None else f'{here:.0f}'} "
          f"| {f'{known[0]:.0f} to {known[-1]:.0f}' if len(known) == len(each) else 'not all'} "
          f"| {'never' if there is None else f'{there:.0f}'} "
          f"| {f'{100 * (there / here - 1):+.0f} %' if here and there else ''} |")
