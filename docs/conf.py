"""Sphinx settings: the guide, the executed notebooks, and the reference from docstrings. `make docs` builds them."""

import shutil
from pathlib import Path

import ruckle

HERE = Path(__file__).parent

# MyST-NB reads notebooks from below this folder only
shutil.copytree(HERE.parent / "notebooks", HERE / "notebooks", dirs_exist_ok=True)

# the first page shows the browser demo if `make web` has built it, otherwise a picture of the demo
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
# the option "-t kept_notebooks" shows stored outputs instead of executing the notebooks
nb_execution_excludepatterns = ["notebooks/*"] if tags.has("kept_notebooks") else []  # noqa: F821  (Sphinx gives tags)
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

# docstrings contain shapes and units in place of types: "(V, 3) float, mesh units"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
# layers inherit common methods, such as `state` and `restore`
autodoc_default_options = {"members": True, "inherited-members": "tuple, dict, BaseException, object"}
