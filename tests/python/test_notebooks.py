# SPDX-License-Identifier: MIT
"""The notebooks run, and are stored without what they print."""
import os
import pathlib

import nbformat
import pytest
from nbconvert.preprocessors import ExecutePreprocessor

NOTEBOOKS = sorted(pathlib.Path(os.environ["FINEGRAIN_SOURCE"], "python", "notebooks").glob("*.ipynb"))
assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_every_table_and_picture_is_there(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.outputs for cell in code] == [[]] * len(code)
    done, _ = ExecutePreprocessor(timeout=120).preprocess(notebook, {"metadata": {"path": tmp_path}})
    for cell in done.cells:
        if cell.cell_type == "code" and not cell.source.startswith("import"):
            assert cell.outputs, cell.source
