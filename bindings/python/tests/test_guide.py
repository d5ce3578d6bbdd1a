"""The examples of the guide and of the READMEs run."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.parametrize("page", ["docs/guide/src/python.md", "docs/guide/src/distributed.md", "bindings/python/README.md", "README.md"])
def test_examples(page):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    # One after the other, as a reader would.
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": "__main__"})
