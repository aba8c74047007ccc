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


def test_a_notebook_shows_how_far_a_call_is(tmp_path):
    call = "import finegrain\nfinegrain.replay(heat='400x600', ranks=[2, 4], ranks_per_node=16, platform='abel')"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(call)])
    done, _ = ExecutePreprocessor(timeout=120).preprocess(notebook, {"metadata": {"path": tmp_path}})
    shown = "".join(output.text for output in done.cells[0].outputs if output.output_type == "stream")
    assert "simulating [####################] 2/2" in shown
