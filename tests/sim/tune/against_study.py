#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often tune's answer is the best of trying everything: `finegrain tune` against `finegrain study run` over all axes.

    tests/sim/tune/against_study.py build/release/bin

prints the table of docs/tune.md. It is no test, because it takes some minutes. The cases were made after the search was finished.
"""

import argparse
import csv
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

CORES = {"abel": 16, "abel_upc": 16, "dragonfly_200g": 128, "ethernet_100g": 128, "ethernet_10g": 16,
         "hdr_infiniband": 128, "knl_7250_mcdram": 68, "ndr_infiniband": 192}

# Matrix, platform, nodes.
CASES = [
    ("laplacian2d 150", "hdr_infiniband", "1,2"),
    ("laplacian2d 210", "ethernet_10g", "2,4"),
    ("laplacian3d 32", "abel", "1,2,4"),
    ("laplacian3d 38", "hdr_infiniband", "2"),
    ("laplacian3d 27", "dragonfly_200g", "1,2"),
    ("random 14000", "abel", "2"),
    ("random 11000", "ethernet_10g", "1,3"),
    ("banded 41000", "ethernet_100g", "1,2"),
    ("banded 52000", "abel_upc", "2,4"),
    ("powerlaw 23000", "abel", "1,2"),
    ("powerlaw 17000", "ethernet_10g", "2"),
    ("ventricle 37000 sbd", "ndr_infiniband", "1,2"),
    ("ventricle 47000 rcm", "hdr_infiniband", "1,3"),
    ("ventricle 29000 hilbert", "ethernet_10g", "2,4"),
    ("ventricle 33000 random", "knl_7250_mcdram", "1"),
    ("ventricle 61000 none", "abel", "3"),
]

# All that iterate. The last three count on their own, and tune leaves them out unless they are named.
PROGRAMS = ["individual", "block put", "condensed put each", "condensed put together", "condensed put overlapped",
            "condensed two-sided together", "condensed two-sided overlapped", "node-aware put together",
            "node-aware put overlapped", "node-aware two-sided together", "node-aware two-sided overlapped"]
OTHERS = ["naive", "cached", "inspector get together", "inspector get overlapped"]


def grid(edge: int, dimensions: int) -> tuple[int, list[tuple[int, int]]]:
    """A box of points, each coupled to its neighbours, row by row."""
    rows = edge**dimensions
    pairs = [(row, row + step) for row in range(rows) for step in (edge**k for k in range(dimensions))
             if row // step % edge + 1 < edge]
    return rows, pairs


def scattered(rows: int, kind: str) -> tuple[int, list[tuple[int, int]]]:
    """Each row is coupled to a few others: to any, to near ones, or to low ones more often, but none to very many."""
    chance = random.Random(rows)
    pairs = set()
    most = 24
    degree = [0] * rows
    for row in range(rows):
        for _ in range(4):
            if kind == "random":
                other = chance.randrange(rows)
            elif kind == "banded":
                other = min(rows - 1, max(0, row + chance.randint(-rows // 60, rows // 60)))
            else:
                other = int(rows * chance.random() ** 3)
            if other != row and max(degree[row], degree[other]) < most:
                pairs.add((min(row, other), max(row, other)))
                degree[row] += 1
                degree[other] += 1
    return rows, sorted(pairs)


def make_matrix(what: str, run) -> None:
    """Writes m.fgm."""
    kind, size, *order = what.split()
    if kind == "ventricle":
        run("mesh", "--tets", size, "--order", order[0], "--out", "m.fgm", "--force")
        return
    rows, pairs = grid(int(size), int(kind[-2])) if kind.startswith("laplacian") else scattered(int(size), kind)
    entries = [(row, row) for row in range(rows)] + [(high, low) for low, high in pairs]
    text = f"%%MatrixMarket matrix coordinate pattern symmetric\n{rows} {rows} {len(entries)}\n"
    pathlib.Path("m.mtx").write_text(text + "".join(f"{row + 1} {column + 1}\n" for row, column in entries))
    run("mesh", "m.mtx", "--order", "none", "--out", "m.fgm", "--force")


def rows_of(text: str) -> list[dict[str, str]]:
    """A table in CSV, without its comments."""
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def described(row: dict[str, str]) -> str:
    """A row of tune or of a study."""
    program = row.get("program") or f"{row['policy']} {row['transfer']} {row['completion']}"
    copy = ", compact" if row["copy"] == "compact" else ""
    return f"{program}{copy}, {row['ranks']} ranks, BLOCKSIZE {row['blocksize']}, {row['placement']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="folder of the finegrain binary")
    parser.add_argument("--first", type=int, default=1, help="begin with this case")
    parser.add_argument("--count", type=int, default=len(CASES), help="so many cases")
    parser.add_argument("-j", default="1", help="processes at the same time")
    options = parser.parse_args()
    binary = os.path.abspath(os.path.join(options.bin, "finegrain"))

    def run(*words: str) -> str:
        done = subprocess.run([binary, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.stderr}")
        return done.stdout

    print("| matrix | platform | nodes | points | best of all s | tune's s | ratio | tune's best | best of all |\n|---|---|---|---|---|---|---|---|---|")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for what, platform, nodes in CASES[options.first - 1:options.first - 1 + options.count]:
            make_matrix(what, run)
            ranks_per_node = ",".join(str(CORES[platform] // part) for part in (1, 2, 4, 8))
            where = ["--matrix", "m.fgm", "--platform", platform, "--nodes", nodes]
            placements = "block,cyclic"
            sizes = "auto,1024"
            best = rows_of(run("tune", *where, "--blocksize", sizes, "--placement", placements, "--format", "csv", "-j", options.j))[0]
            points = []
            for programs, more in (
                    (PROGRAMS, ["--blocksize", sizes, "--placement", placements, "--copy", "full,compact"]),
                    (OTHERS, ["--blocksize", "auto"])):
                pathlib.Path("s.sqlite").unlink(missing_ok=True)
                pathlib.Path("s.toml").unlink(missing_ok=True)
                run("study", "run", *where, "--ranks-per-node", ranks_per_node, "--policy", ",".join(programs), *more,
                    "--simulate", "all", "--database", "s.sqlite", "-j", options.j)
                points += [row for row in rows_of(run("study", "export", "s.sqlite", "--format", "csv")) if row["simulated_s"]]
            least = min(points, key=lambda row: float(row["simulated_s"]))
            ratio = float(best["simulated_s"]) / float(least["simulated_s"])
            ratios.append(ratio)
            print(f"| {what} | {platform} | {nodes.replace(',', ' ')} | {len(points)} | {float(least['simulated_s']):.5f} | "
                  f"{float(best['simulated_s']):.5f} | {ratio:.4f} | {described(best)} | {described(least)} |", flush=True)
    print(f"\nWorst ratio {max(ratios):.4f}, median {statistics.median(ratios):.4f}, of {len(ratios)}.")


if __name__ == "__main__":
    main()
