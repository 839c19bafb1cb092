"""A Slurm of one node on this machine, in a folder of its own: munged, slurmctld and slurmd as children of this process,
with their own key, socket, ports and state, so that nothing of the system's is used or touched. Needs root."""
import ctypes
import os
import signal
import socket
import subprocess
import time

TOOLS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
CONFIGURATION = """\
ClusterName=curlew
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={control}
SlurmdPort={daemon}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2
ReturnToService=2
KillWait=3
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=20 State=UP
"""


def find(tool):
    """Daemons live in sbin, which is not in every PATH."""
    for folder in (*os.environ.get("PATH", "").split(":"), "/usr/sbin", "/sbin"):
        path = os.path.join(folder, tool)
        if os.access(path, os.X_OK):
            return path
    return None


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def dies_with_parent():
    """In the child: a signal when the test goes, however it goes."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Slurm:
    """with Slurm(folder): SLURM_CONF is set, and the node is idle. At the end jobs are cancelled and daemons stopped."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []

    def start(self, name, *command):
        with open(os.path.join(self.folder, f"{name}.out"), "wb") as out:
            self.daemons.append((name, subprocess.Popen([find(name), *command], stdin=subprocess.DEVNULL, stdout=out,
                                                        stderr=out, cwd=self.folder, preexec_fn=dies_with_parent)))

    def wait_for(self, what, happened, seconds=60):
        end = time.monotonic() + seconds
        while not happened():
            for name, daemon in self.daemons:
                if daemon.poll() is not None:
                    raise RuntimeError(f"{name} ended with {daemon.returncode}: {self.tail(name)}")
            if time.monotonic() > end:
                raise RuntimeError(f"{what} took more than {seconds} s; {'; '.join(self.tail(n) for n, _ in self.daemons)}")
            time.sleep(0.2)

    def tail(self, name):
        with open(os.path.join(self.folder, f"{name}.out"), encoding="utf-8", errors="replace") as file:
            return f"{name}: {' | '.join(file.read().splitlines()[-4:])}"

    def __enter__(self):
        folder, host = self.folder, socket.gethostname().split(".")[0]
        os.chmod(folder, 0o711)  # munged wants its socket to be within everybody's reach
        for name in ("state", "spool"):
            os.mkdir(os.path.join(folder, name))
        key = os.path.join(folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(128))
        control, daemon = free_ports(2)
        configuration = os.path.join(folder, "slurm.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=host, folder=folder, control=control, daemon=daemon, cores=os.cpu_count()))
        os.environ["SLURM_CONF"] = configuration
        try:
            munge = os.path.join(folder, "munge.socket")
            self.start("munged", "--foreground", f"--key-file={key}", f"--socket={munge}", f"--pid-file={folder}/munged.pid",
                       f"--seed-file={folder}/munge.seed")
            self.wait_for("munged", lambda: os.path.exists(munge))
            self.start("slurmctld", "-D")
            self.start("slurmd", "-D", "-N", host)
            self.wait_for("the node", lambda: "idle" in self.output("sinfo", "--noheader", "--format=%T"))
        except BaseException:
            self.__exit__()
            raise
        return self

    def output(self, tool, *arguments):
        done = subprocess.run([find(tool), *arguments], capture_output=True, text=True, timeout=60, check=False)
        return done.stdout

    def jobs(self):
        """{number: (state, name)} of all that have not ended."""
        lines = self.output("squeue", "--noheader", "--format=%i %T %j").splitlines()
        return {number: (state, name) for number, state, name in (line.split() for line in lines)}

    def __exit__(self, *_):
        try:
            if len(self.daemons) == 3 and self.jobs():
                self.output("scancel", "--full", *self.jobs())
                end = time.monotonic() + 20
                while self.jobs() and time.monotonic() < end:
                    time.sleep(0.2)
        except (OSError, subprocess.SubprocessError):
            pass  # the daemons go all the same
        for _name, daemon in reversed(self.daemons):
            daemon.terminate()
        for _name, daemon in reversed(self.daemons):
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
