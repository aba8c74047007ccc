# SPDX-License-Identifier: MIT
# How Sphinx makes the manual: cmake --build build/release --target manual
project = "finegrain"
author = "The finegrain developers"
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "finegrain"
html_copy_source = False
html_show_copyright = False
smartquotes = False  # "--" stays as it is typed
html_static_path = ["manual.css"]
html_css_files = ["manual.css"]
