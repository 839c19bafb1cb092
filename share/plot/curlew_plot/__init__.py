"""Draws what a run of curlew has left in its folder; `curlew plot` runs it (share/plot/plot_run.py).

    command.py      the command line, and the order of things
    results.py      reads a folder: tables, summary.json, log.txt; needs NumPy alone
    style.py        colours, units with prefixes, how a picture is saved
    one module a kind of picture: energy.py, records.py, spectra.py, sparameters.py, smith.py, resonances.py,
                    far_field.py, lines.py, planes.py, fields.py, mesh.py, timing.py; silo.py opens files for them
    report.py       the HTML page

A module of pictures has `pictures(run, options)`, a generator of style.Picture. It yields nothing where the folder has
nothing for it, and adds a line to run.notes for what it leaves out.
"""

import os


def load_matplotlib():
    """Loads matplotlib while the root is the working directory: before its user's own settings it reads a file matplotlibrc
    of the working directory, where data of others may lie. It is read once, when matplotlib is loaded."""
    try:
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    except OSError:  # the folder is gone, or may not be read
        here = None
    try:
        os.chdir("/")
        import matplotlib  # noqa: F401  pylint: disable=unused-import,import-outside-toplevel
    except ImportError:  # whoever needs it says so
        pass
    finally:
        if here is not None:
            os.fchdir(here)
            os.close(here)


load_matplotlib()
