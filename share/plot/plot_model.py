#!/usr/bin/python3
"""Draws the surfaces of a mesh, coloured by what a script gave them: `curlew check --picture FILE` starts this file.

    plot_model.py MODEL PICTURE
MODEL is JSON of the program's, which is removed once it is read. Needs NumPy and matplotlib. Exit codes are those of curlew: 0
done, 2 a wrong file, 3 the disk is full or may not be written, 70 a bug.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from curlew_plot.model import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
