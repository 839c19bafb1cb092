"""What the parts of curlew-scaling share."""
import json
import os


class UserError(Exception):
    """Wrong input: one line, exit code 2."""


class MachineError(Exception):
    """The machine is at fault: one line, exit code 3."""


def nodes(order):
    """Nodes of an element."""
    return (order + 1) * (order + 2) * (order + 3) // 6


def face_nodes(order):
    return (order + 1) * (order + 2) // 2


def integers(text, what, low, high):
    """'1,2,8..10' -> [1, 2, 8, 9, 10]."""
    values = []
    for word in text.split(","):
        first, dots, last = word.partition("..")
        try:
            begin = int(float(first)) if float(first) == int(float(first)) else None
            end = int(last) if dots else begin
        except (ValueError, OverflowError):
            begin = None
        if begin is None or end < begin:
            raise UserError(f"{what} must be a list such as 1,2,4 or 1..3, not '{text}'")
        if begin < low or end > high:
            raise UserError(f"{what} must lie between {low} and {high}, not '{word}'")
        if end - begin > 10000:
            raise UserError(f"{what} '{word}' names {end - begin + 1} values")
        values += range(begin, end + 1)
    if len(set(values)) < len(values):
        raise UserError(f"{what} '{text}' names a value twice")
    return sorted(values)


def words(text, what, known):
    values = text.split(",")
    for value in values:
        if value not in known:
            raise UserError(f"{what} '{value}' is unknown (there are {', '.join(known)})")
    if len(set(values)) < len(values):
        raise UserError(f"{what} '{text}' names a value twice")
    return values


def positive(text, what):
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UserError(f"{what} must be a number above 0, not '{text}'")
    return value


def write(path, text):
    """The file appears under its name only when it is complete."""
    data = text if isinstance(text, bytes) else text.encode()
    part = path + ".part"
    try:
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except OSError as error:
        if os.path.exists(part):
            os.remove(part)
        raise MachineError(f"cannot write '{path}': {error.strerror}") from error


def read_json(path):
    """The object in a file; None where there is no file or no JSON in it (yet)."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None
