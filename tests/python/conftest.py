# SPDX-License-Identifier: MIT
import subprocess

import finegrain
import pytest


@pytest.fixture(scope="session")
def heart(tmp_path_factory):
    """A small matrix file."""
    return finegrain.mesh(tmp_path_factory.mktemp("matrix") / "heart.fgm", tets=2000)


@pytest.fixture(scope="session")
def command():
    """What the command prints, or its error."""

    def run(*arguments):
        done = subprocess.run(["finegrain", *map(str, arguments)], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else done.stderr

    return run
