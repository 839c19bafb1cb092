#!/usr/bin/python3
"""TM1 of a spherical cavity: its frequency, the error, and the seconds of all processors that it took, meshing
included. sphere.py CURLEW [order] [size] [geometry] [backend]"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(os.path.dirname(HERE)), "share", "plot")]
sys.dont_write_bytecode = True
import case  # noqa: E402
from lib.runner import Context  # noqa: E402


def main():
    given = sys.argv[2:] + ["", "", "", ""]
    order, size, geometry = int(given[0] or 4), float(given[1] or 0.5), int(given[2] or 4)
    with tempfile.TemporaryDirectory() as folder:
        context = Context(os.path.abspath(sys.argv[1]), None, folder, True, 1, given[3] or None)
        begin = os.times()
        run = context.run(case.SCRIPT, "sphere", mode="TM1", order=order, geometry=geometry, size=size)
        end = os.times()
        seconds = end.children_user + end.children_system - begin.children_user - begin.children_system
        k = case.wave_number(run, "TM1")
    print(f"{run.summary['elements']} elements, order {order}, maps of order {geometry}: k a = {k:.9f}, exact "
          f"{case.EXACT['TM1']:.9f}, relative error {k / case.EXACT['TM1'] - 1:+.2e}, {seconds:.1f} s of processors")


if __name__ == "__main__":
    main()
