"""The documentation site: `make docs` builds it into build/site, and any warning is an error."""

import shutil
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import hott

project = "hott"
author = "The hott developers"
copyright = "the hott developers"
release = hott.__version__
root_doc = "home"
ROOT = Path(__file__).parent.parent
urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "command_reference",
]
exclude_patterns = ["conf.py", "command_reference.py"]
suppress_warnings = [
    "misc.highlighting_failure"
]  # the picture of the layers in CONTRIBUTING is in no language

myst_enable_extensions = ["dollarmath", "attrs_inline", "substitution"]
myst_heading_anchors = 3
myst_url_schemes = {"http": None, "https": None, "mailto": None}
nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "build" / "notebooks")
nb_execution_in_temp = True  # what they write does not stay
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
smartquotes = False  # options keep their two dashes

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the types that matter stand in the docstrings, in words
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_param = False  # types in words stay words, they are no links
napoleon_custom_sections = [("Attributes", "params_style")]  # several names may share a line
napoleon_use_rtype = False
copybutton_prompt_text = ">>> "

html_theme = "furo"
html_title = f"hott {release}"
html_static_path = ["_static"]
html_css_files = ["hott.css"]
html_theme_options = {
    "source_repository": urls["Source"] + "/",
    "source_branch": "main",
    "source_directory": "docs/",
    "light_css_variables": {"color-brand-primary": "#1f6f5c", "color-brand-content": "#1f6f5c"},
    "dark_css_variables": {"color-brand-primary": "#7fd0b8", "color-brand-content": "#7fd0b8"},
}


MOVED = {  # addresses of earlier versions
    "the-index": "search-and-filter.html",
    "explanations": "compare.html",
    "gallery/explain-a-pair": "../read-a-comparison.html",
    "gallery/counts-that-are-no-text": "genes-in-cells.html",
}
KINDS = {
    "tutorial": "Tutorial",
    "how-to": "How-to guide",
    "explanation": "Explanation",
    "reference": "Reference",
}


def setup(app):
    def name_the_kind(app, name, template, context, doctree):
        """Show below the title what kind of page it is, as its front matter says."""
        kind = app.env.metadata.get(name, {}).get("kind")
        if kind and "body" in context:
            badge = f'</h1>\n<p class="kind kind-{kind}">{KINDS[kind]}</p>'
            context["body"] = context["body"].replace("</h1>", badge, 1)

    def only_ours(app, what, name, thing, skip, options):
        """Leave out what scikit-learn adds to every estimator by itself."""
        return True if name.endswith("_request") or name == "get_metadata_routing" else skip

    def front_page(app, exception):
        """The first page is called home, and old addresses lead to what has taken their place."""
        if exception is None and app.builder.format == "html":
            shutil.copy(Path(app.outdir, "home.html"), Path(app.outdir, "index.html"))
            for old, new in MOVED.items():
                page = f'<meta http-equiv="refresh" content="0; url={new}"><a href="{new}">It has moved.</a>'
                Path(app.outdir, f"{old}.html").write_text(page, encoding="utf-8")

    def only_python(app):
        """The compiled core has no source to show, and Sphinx would link to it all the same."""
        modules = getattr(app.env, "_viewcode_modules", {})
        for name in [name for name, entry in modules.items() if not entry]:
            del modules[name]
        return []

    app.connect("html-collect-pages", only_python, priority=100)
    app.connect("autodoc-skip-member", only_ours)
    app.connect("build-finished", front_page)
    app.connect("html-page-context", name_the_kind)
