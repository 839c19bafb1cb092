#!/usr/bin/python3
"""Draws what a run has left in its folder: `curlew plot DIR` starts this file. Needs NumPy and matplotlib, and for fields
Debian's python3-silo.

    plot_run.py DIR [--report]
Exit codes are those of curlew: 0 done, 2 a wrong folder, file or option, 3 a module is missing or the disk is full, 70 a bug.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from curlew_plot.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
