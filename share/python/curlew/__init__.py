"""Curlew from Python: run(), check(), open(), sweep(), open_sweep().

    result = curlew.run("cavity.lua", args={"L": 0.5}, out="cav", progress=True)
    result.probes["corner"]["Ez"]
"""
from .errors import (BlewUp, CurlewError, CurlewWarning, EnvironmentFailure, InputError, Interrupted, Killed,
                     ProgramBug)
from .inprocess import Simulation
from .lua import Chunk as Lua
from .network import Network, read_touchstone
from .program import Progress, find_program
from .quality import resonances
from .results import FarField, Results, SParameters
from .results import open_results as open  # pylint: disable=redefined-builtin
from .run import Check, check, run
from .snapshots import Snapshot
from .sweeps import Sweep, open_sweep, sweep
from .tables import Table

__version__ = "0.1.0"
__all__ = ["BlewUp", "Check", "CurlewError", "CurlewWarning", "EnvironmentFailure", "FarField", "InputError",
           "Interrupted", "Killed", "Lua", "Network", "ProgramBug", "Progress", "Results", "SParameters", "Snapshot", "Simulation", "Sweep", "Table",
           "check", "find_program", "open", "open_sweep", "read_touchstone", "resonances", "run", "sweep"]
