"""N-ports as RF engineers look at them: dB, phase, group delay, Z, Y, VSWR, other impedances and reference planes.

Time is e^{jwt}. S refers to travelling waves of the impedance of each port at each frequency, z0 [F][N] ohm:
a = (v + z0 i)/(2 sqrt(z0)), b = (v - z0 i)/(2 sqrt(z0)), i into the network (scikit-rf calls this s_def="traveling").
For real z0 that is what all definitions have in common. A line has gamma [F][N] 1/m: waves go as exp(-gamma x)."""
import math
import re

import numpy as np

from .errors import CurlewError

C0 = 299792458.0
ALIKE = 1e-3  # impedances that differ by less are one in a Touchstone file


def wall_impedance(wall, s):
    """[F] ohm: the impedance of a wall of a line, as summary.json has it, at s = jw."""
    if "impedance" in wall:
        return np.full(s.shape, wall["impedance"] + 0j)
    mu, roughness = 4e-7 * math.pi * wall["mu_r"], wall["roughness"]
    smooth = np.sqrt(s * mu / wall["conductivity"])
    if roughness == 0:
        return smooth
    z = s * 0.7 * roughness ** 2 * mu * wall["conductivity"]  # j 1.4 (roughness/skin depth)^2
    q = np.sqrt(z)
    return smooth * (1 + 2 / math.pi * (np.arctan(q) + np.log(1 + q) - 0.5 * np.log(1 + z)))


def line_of(port, frequency):
    """(z0, gamma) [F] of a port of summary.json. gamma is nan where the port belongs to no line. With losses gamma has
    them; z0, which S refers to, is that of the line without."""
    s = 2j * math.pi * np.asarray(frequency, dtype=float)
    wc = 2 * math.pi * port["cutoff"]
    # sqrt(s^2 + wc^2) with a real part >= 0, and the sign of s above the cut-off
    root = np.where(np.abs(s) >= wc, 1j * np.sqrt(np.maximum(np.abs(s) ** 2 - wc ** 2, 0)),
                    np.sqrt(np.maximum(wc ** 2 - np.abs(s) ** 2, 0)))
    impedance = np.full(s.shape, port["impedance"] + 0j)
    with np.errstate(divide="ignore", invalid="ignore"):
        if port["family"] == "TE":
            impedance *= s / root
        elif port["family"] == "TM":
            impedance *= root / s
    if not port.get("speed"):
        return impedance, np.full(s.shape, np.nan + 0j)
    losses = port.get("losses")
    if losses is None:
        return impedance, root / port["speed"]
    series, shunt = s * port["impedance"] / port["speed"], s / (port["impedance"] * port["speed"])
    series = series + losses["resistance"] + sum(wall["shape"] * wall_impedance(wall, s) for wall in losses["walls"])
    return impedance, np.sqrt(series) * np.sqrt(shunt + losses["conductance"])


class Network:
    """frequency [F] Hz; S [F][N][N]; ports [N] their numbers; z0 [F][N] ohm; gamma [F][N] 1/m, nan: not known."""

    def __init__(self, frequency, S, ports=None, z0=50.0, gamma=np.nan, name=""):
        self.frequency = np.asarray(frequency, dtype=float)
        self.S = np.asarray(S, dtype=complex)
        if self.S.ndim != 3 or self.S.shape[1] != self.S.shape[2] or len(self.S) != len(self.frequency):
            raise CurlewError(f"S must be [F][N][N] with F = {len(self.frequency)}, not {list(self.S.shape)}")
        self.ports = list(ports) if ports is not None else list(range(1, self.S.shape[1] + 1))
        self.z0 = self._all(z0)
        self.gamma = self._all(gamma)
        self.name = name

    def _all(self, values):
        """[F][N] of a number, of one for each port, or of [F][N]."""
        return np.array(np.broadcast_to(np.asarray(values, dtype=complex), self.S.shape[:2]))

    def _with(self, S, z0=None):
        return Network(self.frequency, S, self.ports, self.z0 if z0 is None else z0, self.gamma, self.name)

    def __len__(self):
        return len(self.frequency)

    def __repr__(self):
        return f"<network of {len(self.ports)} ports at {len(self)} frequencies>"

    def of(self, row, column):
        """[F] S of two ports by their numbers."""
        for number in (row, column):
            if number not in self.ports:
                raise CurlewError(f"there is no port {number}; there are {', '.join(map(str, self.ports))}")
        return self.S[:, self.ports.index(row), self.ports.index(column)]

    def known(self):
        """The network at those frequencies at which all of S is known."""
        rows = np.isfinite(self.S).all(axis=(1, 2))
        return Network(self.frequency[rows], self.S[rows], self.ports, self.z0[rows], self.gamma[rows], self.name)

    def band(self, low, high):
        """The network from low to high, Hz."""
        rows = (self.frequency >= low) & (self.frequency <= high)
        return Network(self.frequency[rows], self.S[rows], self.ports, self.z0[rows], self.gamma[rows], self.name)

    # ---- views

    def decibel(self):
        """[F][N][N] 20 log10 |S|."""
        with np.errstate(divide="ignore"):
            return 20 * np.log10(np.abs(self.S))

    def phase(self):
        """[F][N][N] degrees, unwrapped along the frequencies; nan stays nan, and the count goes on behind it."""
        out = np.full(self.S.shape, np.nan)
        for i in range(self.S.shape[1]):
            for j in range(self.S.shape[1]):
                there = np.isfinite(self.S[:, i, j])
                out[there, i, j] = np.degrees(np.unwrap(np.angle(self.S[there, i, j])))
        return out

    def group_delay(self):
        """[F][N][N] s, -d(phase)/dw: central differences, one-sided ones at the ends. Two frequencies at least."""
        if len(self) < 2:
            raise CurlewError("a group delay needs two frequencies at least")
        return -np.gradient(np.radians(self.phase()), 2 * math.pi * self.frequency, axis=0)

    def vswr(self):
        """[F][N] (1 + |Sii|)/(1 - |Sii|) of each port; inf where everything returns."""
        size = np.abs(np.einsum("fii->fi", self.S))
        with np.errstate(divide="ignore"):
            return np.where(size < 1, (1 + size) / np.abs(1 - size), np.inf) + 0 * size

    def z(self):
        """[F][N][N] ohm: the impedance matrix."""
        root, one = np.sqrt(self.z0), np.eye(len(self.ports))
        return root[:, :, None] * _solve(one - self.S, one + self.S) * root[:, None, :]

    def y(self):
        """[F][N][N] siemens: the admittance matrix."""
        root, one = np.sqrt(self.z0), np.eye(len(self.ports))
        return _solve(one + self.S, one - self.S) / (root[:, :, None] * root[:, None, :])

    def input_impedance(self):
        """[F][N] ohm at each port while all others are matched."""
        own = np.einsum("fii->fi", self.S)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.z0 * (1 + own) / (1 - own)

    # ---- changes

    def renormalised(self, z0):
        """The same network in waves of other impedances: a number, one for each port, or [F][N] ohm."""
        old, new = self.z0, self._all(z0)
        if not (np.isfinite(new).all() and (new.real > 0).all()):
            raise CurlewError("impedances must have a real part > 0")
        scale = 2 * np.sqrt(old * new)
        same, mixed = (old + new) / scale, (old - new) / scale
        out = mixed[:, :, None] * np.eye(len(self.ports)) + same[:, :, None] * self.S
        into = same[:, :, None] * np.eye(len(self.ports)) + mixed[:, :, None] * self.S
        return self._with(_right(out, into), new)

    def shifted(self, lengths):
        """The network between other reference planes. lengths: {port: metres}; a positive length moves the plane of a
        port into the network and takes a line of that length away, as S_ij exp(gamma_i d_i + gamma_j d_j)."""
        way = np.zeros(self.S.shape[:2], dtype=complex)
        for number, length in lengths.items():
            if number not in self.ports:
                raise CurlewError(f"there is no port {number}; there are {', '.join(map(str, self.ports))}")
            i = self.ports.index(number)
            if not np.isfinite(self.gamma[:, i]).all():
                raise CurlewError(f"the plane of port {number} cannot be shifted: it belongs to no line, or its "
                                  "propagation constant is not known")
            way[:, i] = self.gamma[:, i] * length
        return self._with(self.S * np.exp(way[:, :, None] + way[:, None, :]))

    # ---- files and friends

    def to_skrf(self):
        """A skrf.Network at the frequencies at which all of S is known."""
        from .tables import need
        skrf = need("skrf", "to_skrf()", "scikit-rf")
        there = self.known()
        frequency = skrf.Frequency.from_f(there.frequency, unit="hz")
        return skrf.Network(frequency=frequency, s=there.S, z0=there.z0, s_def="traveling", name=self.name or None)

    def write_touchstone(self, path):
        """Touchstone 1.1. Impedances that are one within 1e-3 become their middle. CurlewError: not one real impedance
        for all ports and frequencies; renormalise first."""
        there = self.known()
        if not len(there):
            raise CurlewError("there is no frequency at which all of S is known: every port needs a waveform")
        low, high = there.z0.real.min(), there.z0.real.max()
        if np.abs(there.z0.imag).max() > 0 or not 0 < low <= high <= (1 + ALIKE) * low:
            raise CurlewError("Touchstone has one real impedance for all ports: renormalise first")
        z0 = there.z0.flat[0]
        if high > (1 + 1e-12) * low:
            z0 = np.complex128(0.5 * (low + high))
            there = there.renormalised(z0)
        ports = len(self.ports)
        if not re.search(rf"\.s{ports}p$", path):
            raise CurlewError(f"'{path}': the name of a Touchstone file of {ports} ports ends with .s{ports}p")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"! made by curlew\n# Hz S RI R {z0.real:.15g}\n")
            order = np.unique(there.frequency, return_index=True)[1]  # the format wants them to ascend
            for f, matrix in zip(there.frequency[order], there.S[order]):
                rows = (matrix.T if ports == 2 else matrix).reshape(-1)
                text = f"{f:.17g}"
                for k, value in enumerate(rows):
                    if ports > 2 and k > 0 and (k % ports == 0 or k % ports % 4 == 0):
                        text += "\n"
                    text += f" {value.real:.15g} {value.imag:.15g}"
                file.write(text + "\n")


def _solve(matrix, right):
    """matrix^-1 right; nan where there is none."""
    out = np.full(matrix.shape, np.nan + 0j)
    for f in np.flatnonzero(np.isfinite(matrix).all(axis=(1, 2))):
        try:
            out[f] = np.linalg.solve(matrix[f], right[f])
        except np.linalg.LinAlgError:
            pass
    return out


def _right(left, matrix):
    """left matrix^-1; nan where there is none."""
    return _solve(matrix.transpose(0, 2, 1), left.transpose(0, 2, 1)).transpose(0, 2, 1)


UNITS = {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9}
IMPEDANCES = "! port impedance"


def _options(path, words, ports):
    """(factor of the frequencies, form, [ohm]) of an option line. What is left out is GHz, S, MA, R 50."""
    factor, form, impedance, rest = 1e9, "ma", [50.0], list(words)
    while rest:
        word = rest.pop(0)
        if word in UNITS:
            factor = UNITS[word]
        elif word in ("ri", "ma", "db"):
            form = word
        elif word in ("y", "z", "h", "g"):
            raise CurlewError(f"'{path}' has no S-parameters")
        elif word == "r" and rest:
            impedance, rest = [float(value) for value in rest], []
            if len(impedance) not in (1, ports) or not all(0 < value < math.inf for value in impedance):
                raise CurlewError(f"'{path}': R of the option line is one resistance > 0, or one for each port")
        elif word != "s":
            raise CurlewError(f"'{path}': the option line has '{word}', which is no option: Hz, kHz, MHz or GHz, S, RI, "
                              "MA or DB, R and ohms")
    return factor, form, impedance


def _impedances(path, blocks, rows, ports):
    """[F][N] ohm of the comments "! Port Impedance", a real and an imaginary part for each port."""
    if len(blocks) != rows or any(len(block) != 2 * ports for block in blocks):
        raise CurlewError(f"'{path}': the comments 'Port Impedance' are not {2 * ports} numbers at each frequency")
    values = np.array(blocks, dtype=float)
    return values[:, ::2] + 1j * values[:, 1::2]


def _words(path, ports):
    """Words of the option line, of each line of data, and numbers of each comment "! Port Impedance"."""
    option, data, blocks, inside = None, [], [], False
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().lower().splitlines()
    except OSError as error:
        raise CurlewError(f"cannot read '{path}': {error.strerror}") from None
    for line in (line.strip() for line in lines):
        words = line.replace(IMPEDANCES, "!", 1).lstrip("!").split()
        if line.startswith(IMPEDANCES):
            blocks.append(words)
        elif inside and line.startswith("!") and words and all(NUMBER.fullmatch(word) for word in words):
            blocks[-1] += words  # the block goes on
        inside = line.startswith(IMPEDANCES) or (inside and line.startswith("!"))
        text = line.partition("!")[0].strip()
        if text.startswith("["):
            raise CurlewError(f"'{path}' is a file of Touchstone 2; write it as Touchstone 1")
        if text.startswith("#"):
            if option not in (None, text):
                raise CurlewError(f"'{path}' has two option lines that differ")
            option = text
        elif text:
            if option is None:
                raise CurlewError(f"'{path}' has no option line, such as # GHz S RI R 50, in front of its numbers")
            data.append(text.split())
            if ports == 2 and len(data[-1]) == 5 and len(data) > 1:  # data of noise follow
                return option, data[:-1], blocks
    return option, data, blocks


NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")


def read_touchstone(path):
    """The network of a Touchstone 1 file of S-parameters. z0 is R, or what comments "! Port Impedance" say."""
    found = re.search(r"\.s(\d+)p$", path, re.IGNORECASE)
    if not found:
        raise CurlewError(f"'{path}' has no name of a Touchstone file, such as case.s2p")
    ports = int(found.group(1))
    option, data, blocks = _words(path, ports)
    try:
        factor, form, impedance = _options(path, (option or "#")[1:].split(), ports)
        values = np.array([word for line in data for word in line], dtype=float).reshape(-1, 1 + 2 * ports * ports)
        z0 = _impedances(path, blocks, len(values), ports) if blocks else np.array(impedance)
    except (ValueError, IndexError):
        raise CurlewError(f"'{path}' is no Touchstone file of {ports} ports") from None
    if (np.diff(values[:, 0]) <= 0).any():
        raise CurlewError(f"'{path}': its frequencies do not ascend")
    first, second = values[:, 1::2], values[:, 2::2]
    if form == "ri":
        entries = first + 1j * second
    else:
        entries = (10 ** (first / 20) if form == "db" else first) * np.exp(1j * np.radians(second))
    matrix = entries.reshape(-1, ports, ports)
    return Network(values[:, 0] * factor, matrix.transpose(0, 2, 1) if ports == 2 else matrix, z0=z0)
