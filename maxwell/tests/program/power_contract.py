#!/usr/bin/python3
"""The power fails at any moment of a run, and what was not synced is lost: power_contract.py PROGRAM [DISKS [SEED]].
CURLEW_TEST_POWER_CUT is the library that keeps a journal of what a disk would have (power_cut.c).

Two kinds of disks are made of it, between which real ones lie: one that has nothing but what was synced, files and names
in folders, and one that has all changes of names, but of files only what was synced (new ones are empty). Whatever moment
it is, a summary that says "done" stands beside whole results, a checkpoint that is there is good, and the run goes on
from it, or begins anew where there is none, without a word and to the same end, bit for bit. DISKS, 0 for all, are
chosen at random."""
import json
import os
import random
import shutil
import sys

from checkpoint_contract import SMALL, check_same, results
from checkpoint_kills import go_on
from harness import Place, edited, expect
from run_contract import RUN

OPTIONS = ("-q", "--set", "checkpoint.every=20")
LIBRARY = os.environ.get("CURLEW_TEST_POWER_CUT", "")


class Journal:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "events"), encoding="utf-8") as file:
            self.events = [line.rstrip("\n").split(" ", 2) for line in file]

    def names(self, number):
        """path -> (inode, kind)"""
        with open(os.path.join(self.folder, f"{number}.names"), encoding="utf-8") as file:
            return {path: (inode, kind) for inode, kind, path in (line.rstrip("\n").split(" ", 2) for line in file)}

    def disks(self):
        """After each event both kinds of disks, as path -> None for a folder, or the file that has the content, or ""."""
        data, synced, current = {}, {}, {}
        for number, what, *rest in self.events:
            if what == "new":
                data.pop(rest[0], None)
            elif what == "data":
                data[rest[0]] = os.path.join(self.folder, number + ".data")
            elif what == "names":
                current = self.names(number)
            else:
                synced[rest[0] if rest else ""] = self.names(number)
            strict, there = {}, [""]
            while there:
                for path, (inode, kind) in synced.get(there.pop(), {}).items():
                    strict[path] = None if kind == "d" else data.get(inode, "")
                    if kind == "d":
                        there.append(path)
            yield f"{number} strict", strict
            yield f"{number} names", {path: None if kind == "d" else data.get(inode, "")
                                      for path, (inode, kind) in current.items()}


def make(disk, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for path in sorted(disk):
        to = os.path.join(folder, path)
        if disk[path] is None:
            os.makedirs(to, exist_ok=True)
        elif disk[path] == "":
            open(to, "wb").close()
        else:
            shutil.copyfile(disk[path], to)


def check(place, disk, what):
    """True if that disk lets the run go on from a checkpoint."""
    make(disk, place.path("split"))
    path = place.path("split/summary.json")
    if os.path.exists(path) and os.path.getsize(path) > 0:
        with open(path, encoding="utf-8") as file:
            status = json.load(file)["status"]
        if status == "done":
            check_same(place, "whole", "split", what + ": done, and it is not")
            sizes = [os.path.getsize(os.path.join(root, name)) for folder in ("whole", "split")
                     for root, _, names in sorted(os.walk(place.path(folder))) for name in sorted(names)
                     if name.endswith(".silo")]
            expect(sizes[:len(sizes) // 2] == sizes[len(sizes) // 2:], f"{what}: snapshots are not whole")
    restart = go_on(place)
    code, _, err, _ = place.run(*RUN, *OPTIONS, "-o", "split", *restart)
    expect(code == 0 and err == "", f"{what}, {restart}: exit code {code}: {err}")
    check_same(place, "whole", "split", what)
    return bool(restart)


def main():
    program, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 16
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    if not LIBRARY:
        print("skipped: there is no library that keeps a journal")
        return 77
    with Place(program, script=edited(SMALL, ("frequencies = { 1e7, 3e7 }", "frequencies = { 1e7 }"))) as place:
        place.good(*RUN, *OPTIONS, "-o", "whole")
        os.mkdir(place.path("journal"))
        place.good(*RUN, *OPTIONS, "-o", "first", environment={"LD_PRELOAD": LIBRARY, "POWER_FOLDER": place.path("first"),
                                                         "POWER_JOURNAL": place.path("journal")})
        expect(results(place, "whole") == results(place, "first"), "the journal changed the run")
        disks = list(Journal(place.path("journal")).disks())
        expect(len(disks) > 100, f"only {len(disks)} disks")
        chosen = disks if count == 0 else random.Random(seed).sample(disks[:-2], min(count, len(disks) - 2)) + disks[-2:]
        restarts = sum(check(place, disk, what) for what, disk in chosen)
        expect(0 < restarts < len(chosen), f"{restarts} of {len(chosen)} went on")
        print(f"ok: {len(chosen)} of {len(disks)} disks, {restarts} went on from a checkpoint, seed {seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
