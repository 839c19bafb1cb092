#!/usr/bin/python3
"""S-parameters of a run as tables and files: `curlew s DIR` starts this file. Needs NumPy.

    curlew_s.py DIR [options]
Exit codes are those of curlew: 0 done, 2 a wrong folder, file or option, 3 a module is missing or the disk is full."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from curlew.s_command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
