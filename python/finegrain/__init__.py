# SPDX-License-Identifier: MIT
"""What would a parallel run cost on another machine?

    import finegrain
    finegrain.compare(heat="2000x4000", ranks=[16, 32], platform=["abel", "hdr_infiniband"])

Functions take the flags of the command of the same name, with `_` for `-`: `--ranks-per-node 16` is
`ranks_per_node=16`. A list gives a flag several times, a dict gives `name=value`, True gives a flag that takes
nothing. `finegrain.options("replay")` lists them. Answers are pandas DataFrames; their units are in the names of the
columns, and what the command writes above and below a table is in `frame.attrs`.
"""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy
import pandas

from . import _finegrain
from ._finegrain import InputError, Matrix, Platform, Schedule, Trace, __version__

__all__ = ["InputError", "Matrix", "Platform", "Schedule", "Trace", "compare", "counts", "mesh", "options", "predict",
           "read_matrix", "read_platform", "read_trace", "replay", "schedule", "study", "tables", "tune"]
InputError.__module__ = __name__

PathLike = str | os.PathLike[str]

_FOLDER = pathlib.Path(__file__).parent
_PREFIX = _FOLDER / "../../../.."  # of lib/python3/dist-packages/finegrain
_BUILD = _FOLDER / "../.."  # of python/finegrain where finegrain was built


def _command() -> str:
    """The command that belongs to this package; else the one in PATH."""
    beside = [os.path.normpath(folder / "bin" / "finegrain") for folder in (_PREFIX, _BUILD)]
    found = next(filter(os.path.exists, beside), None) or shutil.which("finegrain")
    if found is None:
        raise InputError("finegrain: there is no such command beside the Python package, nor in PATH. Install both")
    return found


@contextlib.contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Ctrl-C waits until the process is known that is being started, so that it can be ended."""
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = []
    signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            signal.raise_signal(signal.SIGINT)


def _is_watched() -> bool:
    """Whether sys.stderr is a terminal, or a notebook's."""
    return sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel.")


class _Bar:
    """The command's progress, written over what it was before."""

    def __init__(self) -> None:
        self.width = 0

    def show(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width) + ("" if text else "\r"))
        sys.stderr.flush()
        self.width = len(text)


def _text(value: Any, what: str) -> str:
    """A path or another text, as the command and the C++ part can take it."""
    try:
        text = os.fsdecode(os.fspath(value))
        os.fsencode(text)
    except TypeError:
        raise InputError(f"{what}: {value!r} is not a text or a path. Give one") from None
    except UnicodeError:
        raise InputError(f"{what}: {value!r} has a character that no file name has (half of a pair). Leave it out"
                         ) from None
    if "\0" in text:
        raise InputError(f"{what}: {text!r} has a zero byte, which ends a text. Leave it out")
    return text


def _run(arguments: list[str]) -> str:
    """What the command prints, by a process of its own: nothing that it does can end the interpreter."""
    arguments = [_text(argument, "finegrain") for argument in arguments]
    environment = {**os.environ, "FINEGRAIN_PROGRESS": "1"} if _is_watched() else None
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        process = None
        last = ""
        bar = _Bar()
        try:
            with _ctrl_c_later():
                process = subprocess.Popen([_command(), *arguments], stdin=subprocess.DEVNULL, stdout=printed,
                                           stderr=subprocess.PIPE, env=environment, encoding="utf-8", errors="replace")
            for line in process.stderr:  # type: ignore[union-attr]  # its log, as it comes; "\r" ends a line too
                if line.endswith("\033[K\n"):
                    bar.show(line.removesuffix("\033[K\n"))
                    continue
                sys.stderr.write(last)
                last = line
            process.wait()
        except BaseException:  # such as Ctrl-C: the command removes what it has not finished
            if process is not None:
                process.send_signal(signal.SIGINT)
                process.wait()
            raise
        finally:
            if bar.width > 0:
                bar.show("")
            if process is not None:
                process.stderr.close()  # type: ignore[union-attr]
        if process.returncode != 0:
            reason = last.strip() or f"ended by signal {-process.returncode} (out of memory?)"
            raise InputError(reason.removeprefix("finegrain: "))
        sys.stderr.write(last)
        printed.seek(0)
        return printed.read()


def _values(value: Any) -> list[str]:
    """What a flag is given: a text for each time."""
    if isinstance(value, Mapping):
        return [f"{name}={text}" for name, text in value.items()]
    if isinstance(value, (str, bytes, os.PathLike)):
        return [os.fsdecode(value)]
    if isinstance(value, Iterable):
        return [text for one in value for text in _values(one)]
    return [str(value)]


_FOR_PEOPLE = ("help", "help_all", "version", "format")  # flags that change what the command prints


def _flags(options: Mapping[str, Any]) -> list[str]:
    """Options as the command's arguments."""
    arguments = []
    for name, value in options.items():
        if name in _FOR_PEOPLE and value is not None and value is not False:
            raise InputError(f"{name}: is not an option of a function. See finegrain.options() and Python's help()")
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            arguments.append(flag)
        elif value is not None and value is not False:
            arguments += [f"{flag}={text}" for text in _values(value)]
    return arguments


def _frame(table: Mapping[str, Any]) -> pandas.DataFrame:
    frame = pandas.DataFrame(table["rows"])
    frame.attrs = {"name": table["name"], "title": table["title"], "notes": table["notes"]}
    return frame


def options(subcommand: str) -> pandas.DataFrame:
    """The options of a function, such as "replay" or "study run": name, what it takes, help."""
    text = _run(["help", *_text(subcommand, "options").split(), "--format=markdown"])
    rows = [(name.replace("-", "_"), value.strip(), meaning)
            for name, value, meaning in re.findall(r"^\| `(?:-\w,)?--([\w-]+)(.*?)` \| (.*) \|$", text, re.MULTILINE)
            if name not in ("help", "help_all", "format")]
    return pandas.DataFrame(rows, columns=["option", "value", "help"])


def tables(*arguments: Any, **options: Any) -> list[pandas.DataFrame]:
    """All tables that a subcommand prints, e.g. tables("trace", "info", "my_trace").

    The command runs as a process of its own, so that several may run at the same time in threads. Ctrl-C ends it.

    :raises InputError: with the line that the command prints
    """
    words = [os.fsdecode(word) if isinstance(word, (bytes, os.PathLike)) else str(word) for word in arguments]
    printed = _run([*words, *_flags(options), "--format=json"])
    try:
        return [_frame(table) for table in json.loads(printed)]
    except (ValueError, TypeError, KeyError):
        raise InputError(f"{' '.join(words)}: prints no tables. Call the command finegrain for what it prints") from None


def _one(subcommand: str, table: int | str, options: Mapping[str, Any]) -> pandas.DataFrame:
    if isinstance(table, str):
        return tables(subcommand, table=table, **options)[0]
    printed = tables(subcommand, **options)
    try:
        return printed[table]
    except (IndexError, TypeError):
        raise InputError(f"table: there is no {table!r} among {len(printed)}. Give 0 to {len(printed) - 1}, or a name"
                         ) from None


def predict(**options: Any) -> pandas.DataFrame:
    """Seconds by the papers' equations; nothing is simulated. As `finegrain predict`."""
    return tables("predict", **options)[0]


def replay(*, table: int | str = 0, **options: Any) -> pandas.DataFrame:
    """Seconds by simulation, of a trace or of what a policy makes of a problem. As `finegrain replay`.

    :param table: which of the tables: "totals", "phases" (per_rank=True: of every rank), or their place: 0, 1
    """
    return _one("replay", table, options)


def compare(*, table: int | str = 0, **options: Any) -> pandas.DataFrame:
    """Measured, simulated, and by closed form, side by side. As `finegrain compare`.

    :param table: which of the tables, where there are several: its name, such as "functions", or place
    """
    return _one("compare", table, options)


def tune(**options: Any) -> pandas.DataFrame:
    """What to run: ways to run a matrix on a platform, the best first. As `finegrain tune`.

    The commands that run the best are the first of `frame.attrs["notes"]`.
    """
    return tables("tune", **options)[0]


def study(axes: Mapping[str, Any] | PathLike, database: PathLike = "study.sqlite", **options: Any) -> pandas.DataFrame:
    """All points of a study, a row each: every value of each axis with every value of the others.

    Finished points stay in the database: after an interruption, the same call goes on where it stopped.

    :param axes: values by the axis's name, e.g. {"matrix": "heart.fgm", "nodes": [1, 2, 4], ...}; or a study file
    :param simulate: with a dict: "none", "all" or "best 10"
    """
    what = _flags(axes) if isinstance(axes, Mapping) else [_text(axes, "axes")]
    tables("study", "run", *what, database=database, **options)
    return tables("study", "export", database)[0]


def mesh(out: PathLike, **options: Any) -> Matrix:
    """Makes a matrix file of a mesh, or of the built-in left ventricle (tets=100000). As `finegrain mesh`."""
    _run(["mesh", *_flags({"out": out, **options})])
    return read_matrix(out)


def read_platform(path_or_name: PathLike, set: Mapping[str, str] | None = None) -> Platform:
    """A platform file, or one of finegrain's own by its name, e.g. "abel".

    :param set: costs that win over the file's, e.g. {"tau": "3.4us"}
    """
    path = _text(path_or_name, "platform")
    if re.fullmatch(r"[^/.]+", path) and not os.path.exists(path):
        own = [folder / f"{path}.xml" for folder in (_PREFIX / "share/finegrain/platforms", _BUILD / "python/platforms")]
        path = next((os.path.normpath(file) for file in own if file.exists()), path)
    return _finegrain.read_platform(path, _values(set or {}))


def read_trace(path: PathLike, by: str = "function") -> Trace:
    """A recorded trace: the folder, or the file that `finegrain trace pack` made of it.

    :param by: what regions of an MPI program are named by: "function", or "place", the function and the line of the source
    """
    if by not in ("function", "place"):
        raise ValueError(f'by is {by!r}, not "function" or "place"')
    return _finegrain.read_trace(_text(path, "trace"), by == "place")


def read_matrix(path: PathLike = "", *, tets: int = 0, order: str | None = None) -> Matrix:
    """A matrix file (.fgm), which is mapped; or the matrix of a mesh (TetGen, Gmsh) or a Matrix Market file.

    :param tets: without a path: the left ventricle of so many tetrahedra
    :param order: of a mesh's rows: sbd, gnd, rcm, hilbert, none or random
    """
    return _finegrain.read_matrix(_text(path, "matrix"), tets=tets, order=order)


def _by_flags(function: Callable[[dict[str, str]], Any], options: Mapping[str, Any]) -> Any:
    """What a function of the C++ part gives for the command's flags; its errors are in the command's words."""
    _flags(options)  # refuses those that are none of a function
    given = {name.rstrip("_").replace("_", "-"):
                 _text(value if isinstance(value, (bytes, os.PathLike)) else str(value), name)
             for name, value in options.items() if value is not None}
    try:
        return function(given)
    except InputError as error:
        refused = error
    _run(["schedule", *_flags(options), "--format=csv"])  # says it, unless the command takes more than this function
    raise refused


def schedule(**options: Any) -> Schedule:
    """What every rank does in one iteration: its operations and messages. Nothing is simulated.

    The options are those of `finegrain schedule` that say what runs, for one number of ranks, e.g.
    schedule(matrix="heart.fgm", ranks=64, ranks_per_node=16, policy="block").

    :raises InputError: with the line that the command prints
    """
    return _by_flags(_finegrain.schedule, options)


def counts(**options: Any) -> dict[str, numpy.ndarray]:
    """What one iteration sends and accesses, as read-only arrays of shape [ranks] or [ranks, ranks].

    `messages` and `bytes` are of what the first rank sends to the second. `needs_values` and the other needs are of
    what the first rank reads of the second. The others are the papers' counts of each rank. The options are those of
    `schedule`.

    :raises InputError: with the line that `finegrain schedule` prints
    """
    return _by_flags(_finegrain.counts, options)
