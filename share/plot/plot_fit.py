#!/usr/bin/python3
"""Draws a table of permittivity, the poles that fit it, and the error: `curlew fit --plot FILE` starts this file.

    plot_fit.py FIT PICTURE
FIT is JSON of the program's, which is removed once it is read. Needs NumPy and matplotlib. Exit codes are those of curlew: 0
done, 2 a wrong file, 3 the disk is full or may not be written, 70 a bug.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from curlew_plot.fit import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
