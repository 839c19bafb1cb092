#!/usr/bin/python3
"""One script, many values of its arguments: `curlew sweep` starts this file. Needs nothing but Python.

    curlew_sweep.py PROGRAM SCRIPT -D NAME=VALUES... [options]
Exit codes are those of curlew: 0 done, 2 a wrong word, or that of the first run that failed, 3 the machine is at fault."""
import os
import sys

# The folder of the package, and not the package, which needs NumPy; in a wheel this file lies inside of it.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, next(folder for folder in (os.path.join(HERE, "curlew"), os.path.dirname(os.path.dirname(HERE)))
                        if os.path.isfile(os.path.join(folder, "sweep_command.py"))))
from sweep_command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:], os.path.join(os.path.dirname(HERE), "plot")))
