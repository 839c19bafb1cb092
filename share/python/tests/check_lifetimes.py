"""Hostile lifetimes of simulations in this process: threads, functions, forks, garbage collection, and Python's end.

    check_lifetimes.py [CURLEW] [COUNT] [SEED]     COUNT lifetimes (20), drawn from SEED (1)
    check_lifetimes.py CURLEW 200                  those of issue 41; minutes
    check_lifetimes.py --do KIND SEED              one, in this process
Every lifetime has a process of its own, with a limit of time: a crash or a hang is seen. Wherever Curlew refuses something it
is an InputError with one line. Exits 77 (skipped) where NumPy is missing.
"""
import concurrent.futures
import copy
import ctypes
import faulthandler
import gc
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref

sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import curlew  # noqa: E402

BOX = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 "inside"
$EndPhysicalNames
$Nodes
9
""" + "".join(f"{i + 1} {i & 1} {i >> 1 & 1} {i >> 2}\n" for i in range(8)) + "9 0.5 0.5 0.5\n$EndNodes\n$Elements\n12\n"
SIDES = ((1, 3, 7, 5), (2, 6, 8, 4), (1, 5, 6, 2), (3, 4, 8, 7), (1, 2, 4, 3), (5, 7, 8, 6))  # seen from the centre
BOX += "".join(f"{i + 1} 4 2 1 1 {a} {b} {c} 9\n" for i, (a, b, c) in enumerate(
    triangle for p, q, r, s in SIDES for triangle in ((p, q, r), (p, r, s)))) + "$EndElements\n"
STEPS = 4000
SECONDS = 60


def scene(functions=None, **changes):
    table = {
        "name": "box",
        "mesh": {"file": "box.msh"},
        "order": 2,
        "time": {"steps": STEPS},
        "materials": {"inside": {}},
        "initial": {"E": lambda x, y, z: (0, 0, x * (1 - x))},
        "output": {"probes": [{"name": "p", "at": [0.4, 0.5, 0.3]}],
                   "lines": [{"name": "l", "from": [0.1, 0.5, 0.5], "to": [0.9, 0.5, 0.5], "points": 5}],
                   "energy": {"every": 5}},
    }
    table.update(changes)
    if functions:
        table["sources"] = [{"region": "inside", "current": functions}]
    return table


def make(functions=None, **changes):
    return curlew.Simulation(scene(functions, **changes))


def refuses(what, *words):
    """It is an InputError of one line with one of these words."""
    try:
        what()
    except curlew.InputError as error:
        text = str(error)
        assert "\n" not in text and len(text) > 20, text
        assert not words or any(word in text for word in words), text
        return
    raise AssertionError(f"{what} was not refused")


CALLS = (lambda s: s.advance(3), lambda s: s.energy(), lambda s: s.fields(), lambda s: s.sample([[0.5, 0.5, 0.5]]),
         lambda s: s.records, lambda s: s.close(), lambda s: s.set_fields(), lambda s: s.run("other"),
         lambda s: s.begin("other"), lambda s: s.checkpoint(), lambda s: s.finish(), lambda s: s.stop())


def calls_in_a_function(draw):
    """A source, an initial field, a rule or `progress` calls the simulation that it belongs to."""
    said = []

    def nasty(*_):
        if simulation:
            try:
                for call in draw.sample(CALLS, 3):
                    refuses(lambda: call(simulation[0]), "a function of a simulation")
                said.append(simulation[0].steps_done + simulation[0].time)  # may be asked
            except BaseException as error:  # pylint: disable=broad-exception-caught
                said.append(error)
        return 0
    simulation, where = [], draw.choice(("source", "initial", "rule", "progress", "begun"))
    changes = {"initial": {"E": lambda x, y, z: (nasty(), 0, x)}} if where == "initial" else {}
    if where == "rule":
        changes["time"] = {"steps": STEPS, "finish": lambda t, n, energy: nasty() or n > 50}
        changes["watchdog"] = {"every": 10}
    simulation.append(make((lambda x, y, z, t: (nasty(), t * x, 0)) if where in ("source", "begun") else None, **changes))
    if where in ("rule", "progress"):
        simulation[0].run("out", progress=(lambda *_: nasty() == 0) if where == "progress" else None)
    elif where == "begun":
        simulation[0].begin("out").advance(20)
    else:
        simulation[0].advance(20)
    for one in said:
        assert not isinstance(one, BaseException), one
    assert said or where == "progress"
    simulation[0].close()


def threads_on_one(draw):
    """Several threads step, look and close; each call is done or refused."""
    simulation, done, wrong = make(lambda x, y, z, t: (x, 0 * y, t)), [], []
    if draw.random() < 0.5:
        simulation.begin("out")

    def work(seed):
        own = random.Random(seed)
        for _ in range(30):
            try:
                if own.random() < 0.6:
                    simulation.advance(5)
                    done.append(5)
                else:
                    own.choice((simulation.energy, simulation.fields, lambda: simulation.steps_done, simulation.points,
                                lambda: simulation.sample([[0.5, 0.5, 0.5]])))()
            except curlew.InputError as error:
                if "another thread" not in str(error) and "closed" not in str(error):
                    wrong.append(error)
            except BaseException as error:  # pylint: disable=broad-exception-caught
                wrong.append(error)
    threads = [threading.Thread(daemon=True, target=work, args=(draw.random(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong
    assert simulation.steps_done == sum(done)
    simulation.close()


def closed_by_another_thread(draw):
    """close() is refused while another thread steps; __del__, curlew_free and a second free are safe."""
    simulation, ended = make(lambda x, y, z, t: (x, y, z)), []

    def step():
        try:
            while True:
                simulation.advance(STEPS // 10)
        except curlew.CurlewError as error:
            ended.append(error)
    thread = threading.Thread(daemon=True, target=step)
    thread.start()
    handle = simulation._handle
    time.sleep(draw.random() * 0.05)
    if draw.random() < 0.5:
        while not ended:
            try:
                simulation.close()
                break
            except curlew.InputError as error:
                assert "at work" in str(error)
    else:
        simulation._lib.curlew_free(handle)
    thread.join()
    assert len(ended) == 1, ended
    for _ in range(2):
        simulation._lib.curlew_free(handle)
    error = curlew.inprocess._Error()
    simulation._lib.curlew_energy(handle, np.empty(2).ctypes.data, ctypes.byref(error))
    assert error.code == 2


def arrays_outlive(draw):
    """What functions were given, records, fields and points stay what they are."""
    kept, copies = [], []

    def keep(x, y, z, t):
        kept.extend((x, y, z))
        copies.extend((x.copy(), y.copy(), z.copy()))
        return x * t, y, z
    pulse, times = [], []
    simulation = curlew.Simulation(dict(scene(keep), sources=[
        {"region": "inside", "current": keep},
        {"region": "inside", "profile": lambda x, y, z: (x, y, z),
         "waveform": lambda t: (pulse.append(t), times.append(t + 0), t)[-1]}]))
    simulation.advance(draw.randrange(5, 50))
    table, (E, H), points = simulation.records["lines/l"], simulation.fields(), simulation.points()
    before = [np.array(one) for one in (table["Ez"], table["x"], E, H, points)]
    simulation.advance(draw.randrange(5, 50))
    if draw.random() < 0.7:
        simulation.close()
    del simulation
    gc.collect()
    others = [make() for _ in range(2)]
    assert all(np.array_equal(a, b) for a, b in zip((table["Ez"], table["x"], E, H, points), before))
    assert kept and all(np.array_equal(a, b) for a, b in zip(kept, copies))
    assert pulse and all(np.array_equal(a, b) for a, b in zip(pulse, times))
    try:
        kept[0][0] = 7
        raise AssertionError("places can be written")
    except ValueError:
        pass
    del others


def wait_for(child):
    until = time.monotonic() + SECONDS / 2
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child hangs")


def forked_child(draw, simulation):
    """What a child does, and how it ends."""
    refuses(lambda: draw.choice(CALLS[:5])(simulation), "forked")
    refuses(lambda: make(lambda x, y, z, t: (x, y, z)), "forked")
    simulation.close()
    gc.collect()
    how = draw.randrange(3)
    if how == 0:
        os._exit(5)
    if how == 1:
        del simulation
        sys.exit(5)  # through all of Python's end
    os.kill(os.getpid(), signal.SIGKILL)


def forks(draw):
    """A child of a process with simulations: it is refused, and its end leaves the parent's folder alone."""
    simulation, busy = make(lambda x, y, z, t: (x, t * y, z)), draw.random() < 0.5
    begun = draw.random() < 0.7
    if begun:
        simulation.begin("out")
    simulation.advance(7)
    thread = threading.Thread(daemon=True, target=lambda: simulation.advance(2000))
    if busy:
        thread.start()
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            forked_child(draw, simulation)
        children.append(child)
        draw.random()
    assert all(wait_for(child) in (5, -signal.SIGKILL) for child in children)
    if busy:
        thread.join()
    simulation.advance(10)
    assert simulation.steps_done == (2017 if busy else 17)
    if begun:
        assert len(simulation.results.probes["p"]["time"]) == simulation.steps_done + 1
        try:
            make().begin("out")
            raise AssertionError("the lock of the folder is gone")
        except curlew.EnvironmentFailure as error:
            assert "in use by another run" in str(error), error
        simulation.stop()
    simulation.close()


def forks_in_a_function(draw):
    """The child of a fork in a function comes back from the function, or ends there."""
    children, how = [], draw.randrange(3)

    def forking(x, y, z, t):
        if len(children) < 2:
            children.append(os.fork())
            if children[-1] == 0:
                if how == 0:
                    os._exit(5)
                if how == 1:
                    raise ValueError("in the child")
        return x * t, y, z
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where children say what has ended them
    simulation = make(forking)
    if draw.random() < 0.5:
        simulation.begin("out")
    simulation.advance(20)
    assert [wait_for(child) for child in children] == [5 if how == 0 else 2] * 2
    assert simulation.steps_done == 20
    simulation.close()


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def raising(draw):
    """Whatever a function raises or returns comes out of the call, and nothing of it becomes a field."""
    what = draw.choice((KeyboardInterrupt(), SystemExit(3), Unprintable(), RecursionError("deep"), MemoryError(),
                        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), ValueError("\udc80 \0 line\nline " + "x" * 5000),
                        GeneratorExit(), StopIteration(), "None", "text", "shape", "nan", "object", "deep", "many"))
    late = draw.randrange(0, 30)
    seen = []

    def deep(n):
        return deep(n + 1)

    def bad(x, y, z, t):
        seen.append(t)
        if len(seen) <= late:
            return x, y, z
        if isinstance(what, BaseException):
            raise what
        return {"None": None, "text": "abc", "shape": np.zeros((2, 2)), "nan": (x * np.nan, y, z), "object": object(),
                "deep": None, "many": (x, y, z, x)}[what] if what != "deep" else deep(0)
    simulation = make(bad)
    if draw.random() < 0.4:
        simulation.begin("out")
    try:
        simulation.advance(100)
    except (KeyboardInterrupt, SystemExit, GeneratorExit) as error:
        assert error is what, (error, what)
    except curlew.InputError as error:
        assert "\n" not in str(error) and "sources" in str(error), error
        assert what == "nan" or error.__cause__ is not None
    else:
        raise AssertionError(f"{what!r} was not seen")
    refuses(lambda: simulation.advance(1), "failed", "is over")
    simulation.close()


def collected_anywhere(draw):
    """Simulations in circles are collected by threads and by functions of others."""
    stop, wrong = threading.Event(), []

    def litter():
        one = make(lambda x, y, z, t: (x, y, z))
        one.advance(3)
        circle = [one]
        circle.append(circle)
        one.me = circle

    def collect(*_):
        gc.collect()
        return 0

    def sweep():
        while not stop.is_set():
            gc.collect()
            time.sleep(0.001)
    gc.set_threshold(draw.choice((5, 50, 700)))
    worker = threading.Thread(daemon=True, target=sweep)
    worker.start()
    simulation = make(lambda x, y, z, t: (x + collect(), y, z))
    if draw.random() < 0.5:
        simulation.begin("out")
    for _ in range(3):
        try:
            litter()
            simulation.advance(5)
        except BaseException as error:  # pylint: disable=broad-exception-caught
            wrong.append(error)
    stop.set()
    worker.join()
    gc.collect()
    assert not wrong, wrong
    simulation.close()


def interrupted(draw):
    """Ctrl-C and other signals at any moment."""
    simulation = make(lambda x, y, z, t: (x, y, z * t))
    begun = draw.random() < 0.5
    if begun:
        simulation.begin("out")
    for _ in range(3):
        timer = threading.Timer(draw.random() * 0.05, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            try:
                while simulation.steps_done < STEPS and not simulation.over:
                    simulation.advance(min(100, STEPS - simulation.steps_done))
            finally:
                timer.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            pass
    for _ in range(3):
        try:
            simulation.close()
            break
        except KeyboardInterrupt:
            pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def misused(draw):
    """Copies, pickles, a second beginning, every call after the end."""
    simulation = make()
    for what in (lambda: copy.copy(simulation), lambda: copy.deepcopy(simulation), lambda: pickle.dumps(simulation),
                 lambda: simulation.__init__(scene())):
        refuses(what)
    reference = weakref.ref(simulation)
    simulation.advance(3)
    refuses(lambda: simulation.sample(np.zeros((3, 5))), "points.T")
    for shape in ((3,), (2, 2), (6,), (2, 3, 3), (0,), ()):
        refuses(lambda: simulation.sample(np.zeros(shape)), "[n][3]")
    refuses(lambda: simulation.sample([[1, 2, "x"]]), "numbers")
    refuses(lambda: simulation.sample([[1, 2, 3], [1, 2]]), "numbers")
    assert simulation.sample(np.zeros((0, 3))).shape == (0, 6)
    place = simulation.sample([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
    assert np.array_equal(place[1], simulation.sample([[0.4, 0.5, 0.6]])[0])
    same = np.empty(simulation.shape)
    refuses(lambda: simulation.fields(same, same), "share memory")
    simulation.close()
    simulation.close()
    for call in draw.sample(CALLS[:5] + CALLS[6:], 5):
        refuses(lambda: call(simulation), "closed")
    refuses(lambda: simulation.steps_done, "closed")
    del simulation
    assert reference() is None


def two_at_once(draw):
    """Two runs with snapshots in two threads, which Ctrl-C still reaches afterwards."""
    wrong, kind = [], draw.choice(("silo", "vtkhdf"))

    def run(name):
        try:
            fields = {"every": draw.randrange(7, 30), "format": kind}
            output = dict(scene()["output"], fields=fields)
            one = make(lambda x, y, z, t: (x, y, z), time={"steps": 100}, output=output)
            if draw.random() < 0.5:
                one.run(name)
            else:
                one.begin(name).advance(50).energy()
                one.snapshot()
                one.finish()
            one.close()
        except BaseException as error:  # pylint: disable=broad-exception-caught
            wrong.append(error)
    before = signal.getsignal(signal.SIGINT)
    threads = [threading.Thread(daemon=True, target=run, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong
    assert signal.getsignal(signal.SIGINT) is before
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
        raise AssertionError("SIGINT was lost")
    except KeyboardInterrupt:
        pass


def nested(draw):
    """A function makes, steps and frees another simulation; a thread of a function asks for its own."""
    inner, said, box = [], [], []

    def outer(x, y, z, t):
        if not inner:
            inner.append(None)
            one = make(lambda x, y, z, t: (x, y, z))
            one.advance(3)
            said.append(one.energy())
            one.close()
        if len(said) == 1 and box:
            thread = threading.Thread(
                daemon=True, target=lambda: refuses(lambda: box[0].advance(1), "another thread") or said.append(1))
            thread.start()
            thread.join()
        return x, y, z
    simulation = make(outer)
    box.append(simulation)
    if draw.random() < 0.5:
        simulation.begin("out")
    simulation.advance(10)
    assert len(said) == 2, said
    simulation.close()


def handed_on(draw):
    """Made, stepped and freed by a thread each."""
    box = []
    for work in (lambda: box.append(make(lambda x, y, z, t: (x, y, z))), lambda: box[0].begin("out"),
                 lambda: box[0].advance(draw.randrange(50)), lambda: box[0].energy(), lambda: box[0].close()):
        thread = threading.Thread(daemon=True, target=work)
        thread.start()
        thread.join()
    refuses(lambda: box[0].advance(1), "closed")


def left_open(draw):
    """Python ends with open simulations, stepping daemons, and handlers that still use them."""
    import atexit  # pylint: disable=import-outside-toplevel
    how = draw.randrange(5)

    def late():
        try:
            keep[0].advance(1)
        except curlew.InputError:
            pass
        except BaseException as error:  # pylint: disable=broad-exception-caught
            print("late:", error)
            os._exit(9)
    keep = [make(lambda x, y, z, t: (np.sin(x), y, z * t), time={"steps": 10**7})]
    if draw.random() < 0.7:
        atexit.register(late)
    if how > 0:
        keep[0].begin("out") if how % 2 else keep[0].advance(5)

    def forever():
        try:
            keep[0].advance(10**6)
        except BaseException:  # pylint: disable=broad-exception-caught
            pass

    def makes():
        while True:
            try:
                keep.append(make(lambda x, y, z, t: (x, y, z)))
                keep[-1].advance(3)
            except curlew.CurlewError:  # refused, or interrupted
                return
    if how > 1:
        threading.Thread(daemon=True, target=forever).start()
    if how > 3:
        threading.Thread(daemon=True, target=makes).start()
    time.sleep(draw.random() * 0.1)
    keep[0].me = keep
    if draw.random() < 0.3:
        print("lived", flush=True)
        sys.exit(0)


def watched(draw):
    """Threads ask where a run is, while it is made, run, and freed."""
    box, stop, wrong = [None], threading.Event(), []

    def look():
        while not stop.is_set():
            one = box[0]
            try:
                if one is not None:
                    assert one.steps_done >= 0 and one.time >= 0 and one.total_steps >= 0
                    one.port, one.over, one.points()  # pylint: disable=pointless-statement
            except curlew.InputError as error:
                if "closed" not in str(error):
                    wrong.append(error)
            except BaseException as error:  # pylint: disable=broad-exception-caught
                wrong.append(error)
    threads = [threading.Thread(daemon=True, target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        box[0] = make()
        if draw.random() < 0.5:
            try:
                box[0].run("out", progress=lambda n, steps, t: n < 1000)
            except curlew.Interrupted:
                pass
        else:
            box[0].advance(300)
        box[0].close()
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


KINDS = (calls_in_a_function, threads_on_one, closed_by_another_thread, arrays_outlive, forks, forks_in_a_function, raising,
         collected_anywhere, interrupted, misused, two_at_once, nested, handed_on, left_open, watched)


def live(kind, seed):
    """One lifetime in a process of its own: what is wrong, or None."""
    with tempfile.TemporaryDirectory(prefix="curlew-lifetime-") as folder:
        with open(os.path.join(folder, "box.msh"), "w", encoding="ascii") as file:
            file.write(BOX)
        # A session of its own: children by fork end with it.
        process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--do", kind, str(seed)], cwd=folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                   start_new_session=True)
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # says where its threads are
            time.sleep(0.5)
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return f"hangs: {out}{err[-3000:]}"
    said = out + err[-3000:]
    if process.returncode != 0 or "lived" not in out:
        return f"ended with {process.returncode}: {said[-1500:]}"
    return f"says {said!r}" if said != "lived\n" else None


def main(count, seed):
    """So many, of all kinds by turns."""
    started, failed = time.monotonic(), 0
    lives = [(KINDS[i % len(KINDS)].__name__, 1000 * seed + i) for i in range(count)]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("CURLEW_TEST_WORKERS", "2"))) as pool:
        for (kind, number), wrong in zip(lives, pool.map(lambda each: live(*each), lives)):
            if wrong is not None:
                failed += 1
                print(f"--do {kind} {number} {wrong}\n", flush=True)
    print(f"{count} lifetimes of {len(KINDS)} kinds, {failed} failed, {time.monotonic() - started:.0f} s")
    return failed > 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--do"]:
        faulthandler.enable()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it for what they put in the background
        if not os.path.exists("box.msh"):
            with open("box.msh", "w", encoding="ascii") as box_file:
                box_file.write(BOX)
        {kind.__name__: kind for kind in KINDS}[sys.argv[2]](random.Random(int(sys.argv[3])))
        print("lived", flush=True)
    else:
        if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
            os.environ["CURLEW"] = os.path.abspath(sys.argv.pop(1))
        # Two threads: a child by fork has no other thread of OpenMP's.
        os.environ["OMP_NUM_THREADS"] = "2"
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, int(sys.argv[2]) if len(sys.argv) > 2 else 1))
