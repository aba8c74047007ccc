#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What if replies wait behind data? A model apart from finegrain, to be compared with tests/testbed/run.

Links share their rate in equal parts (max-min), as in finegrain's replay. Each ordered pair of ranks has one connection, on which
messages follow one another. A put in turn is complete when the target's answer is back, and a get begins when its request has
arrived. Either these replies take no time, or they wait on their connection behind the data that was there before. Long messages begin
with 64 KB that are answered, as Open MPI does. Unit: the time in which one pair's bytes pass a link. 200 times, sizes differ at random
by up to 4 %, and ranks begin up to 4 % of the unit late.
"""
import random
import statistics

RANKS = 4


def shares(connections):
    """Max-min shares of links of rate 1, one out of and one into each rank."""
    left = {(way, rank): 1.0 for way in (0, 1) for rank in range(RANKS)}
    users = {link: [c for c in connections if c[link[0]] == link[1]] for link in left}
    rate = {}
    while len(rate) < len(connections):
        share, link = min((left[link] / len(u), link) for link, u in users.items() if u)
        for c in list(users[link]):
            rate[c] = share
            for other in ((0, c[0]), (1, c[1])):
                left[other] -= share
                users[other].remove(c)
    return rate


class Run:
    def __init__(self, programs, is_put, waits, eager):
        self.is_put, self.waits, self.eager = is_put, waits, eager
        self.queues = {(a, b): [] for a in range(RANKS) for b in range(RANKS) if a != b}
        self.left = [list(program) for program in programs]

    def reply(self, source, target, then):
        if self.waits:
            self.queues[source, target].append([0.0, then])
        else:
            then()

    def data(self, source, target, size, then):
        first = min(self.eager, size)
        rest = lambda: self.queues[source, target].append([size - first, then])
        self.queues[source, target].append([first, lambda: self.reply(target, source, rest)])

    def go_on(self, rank):
        if not self.left[rank]:
            return
        other, size = self.left[rank].pop(0)
        done = lambda: self.go_on(rank)
        if self.is_put:
            self.data(rank, other, size, lambda: self.reply(other, rank, done))
        else:
            self.reply(rank, other, lambda: self.data(other, rank, size, done))

    def settle(self):
        while ready := [q for q in self.queues.values() if q and q[0][0] < 1e-12]:
            ready[0].pop(0)[1]()

    def time(self):
        now = 0.0
        late = sorted((random.uniform(0, 0.04), rank) for rank in range(RANKS))
        while True:
            while late and late[0][0] <= now:
                self.go_on(late.pop(0)[1])
            self.settle()
            busy = [c for c, q in self.queues.items() if q]
            if not busy and not late:
                return now
            rate = shares(busy)
            steps = [self.queues[c][0][0] / rate[c] for c in busy] + [start - now for start, _ in late[:1]]
            step = min(steps)
            now = late[0][0] if late and step == steps[-1] else now + step
            for c in busy:
                self.queues[c][0][0] -= rate[c] * step


def times(messages, is_put, waits, eager):
    random.seed(1)
    result = []
    for _ in range(200):
        programs = [[(other, size * random.uniform(1, 1.04)) for other, size in program] for program in messages]
        result.append(Run(programs, is_put, waits, eager).time() / 1.02)
    return f"{statistics.median(result):5.2f} ({min(result):.2f} to {max(result):.2f})"


others = [[other for other in range(RANKS) if other != rank] for rank in range(RANKS)]
print(f"{'':24}  {'at once':22}  behind data")
for name, messages, is_put, eager in (
    ("condensed, put in turn", [[(o, 1.0) for o in of] for of in others], True, 0.16),
    ("blocks, got in turn", [[(o, 0.25) for _ in range(4) for o in of] for of in others], False, 0.16),
    ("heat, gets", [[(o, 1.0) for o in (r - 1, r + 1) if 0 <= o < RANKS] for r in range(RANKS)], False, 0.1),
    ("heat, gets of 2 ranks", [[(1, 1.0)], [(0, 1.0)], [], []], False, 0.2),
):
    print(f"{name:24}  " + "  ".join(f"{times(messages, is_put, waits, eager):22}" for waits in (False, True)))
