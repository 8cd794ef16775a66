"""Sphinx: the guide, the notebooks executed again, and the reference made from docstrings. `make docs` builds it."""

import shutil
from pathlib import Path

import ruckle

HERE = Path(__file__).parent

# MyST-NB reads notebooks from below this folder only
shutil.copytree(HERE.parent / "notebooks", HERE / "notebooks", dirs_exist_ok=True)

# what the first page begins with: the page for the browser where `make web` has compiled it, else its picture
PAGE = HERE.parent / "build" / "web" / "ruckle.html"
if PAGE.exists():
    tags.add("with_page")  # noqa: F821  (Sphinx gives tags)

project = "ruckle"
author = "The ruckle founders"
copyright = "2026, the ruckle founders"
version = release = ruckle.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build", "jupyter_execute", "notebooks/.ipynb_checkpoints"]
default_role = "py:obj"
html_theme = "furo"
html_title = f"ruckle {release}"
html_static_path: list[str] = []
html_extra_path = [str(PAGE)] if PAGE.exists() else []

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "force"
# "-t kept_notebooks": with the outputs that they keep
nb_execution_excludepatterns = ["notebooks/*"] if tags.has("kept_notebooks") else []  # noqa: F821  (Sphinx gives tags)
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

# docstrings hold shapes and units where types would stand: "(V, 3) float, mesh units"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
# layers inherit what they have in common, such as `state` and `restore`
autodoc_default_options = {"members": True, "inherited-members": "tuple, dict, BaseException, object"}
