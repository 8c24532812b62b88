#!/usr/bin/python3
"""Sees and uses windows as assistive technology does, through AT-SPI.

Asks by the bus itself for the tree, a level at a time, and for all properties of all objects at
once: the usual client library asks for one after the other, which takes seconds beside other work.

Reads what to do from standard input, a JSON list of words in each line, and answers each with a line
{"answer": …} or {"trouble": "why not"}. It ends with its input, and where the
bus has ended.

    ["tree"]               every object of every program
    ["press", NAME, ROLE]  presses what is enabled and has that name and role
    ["place", NAME, ROLE]  where the middle of it is on the screen: [X, Y]
    ["enter", NAME]        gives the focus to the field of that name
"""
import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

STATE = Atspi.StateType
STATES = {"enabled": STATE.SENSITIVE, "focused": STATE.FOCUSED, "modal": STATE.MODAL, "showing": STATE.SHOWING}
ACCESSIBLE, PROPERTIES = "org.a11y.atspi.Accessible", "org.freedesktop.DBus.Properties"
DEEPEST = 60
PATIENCE_MS = 5000


class Trouble(Exception):
    """Why something could not be done."""


def connect():
    session = Gio.bus_get_sync(Gio.BusType.SESSION, None)
    address = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, -1, None).unpack()[0]
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


BUS = connect()


def calls(asked):
    """The answers to calls of methods that are sent together; None for what is no longer there."""
    answers, waiting, loop = [None] * len(asked), len(asked), GLib.MainLoop()

    def answered(_, result, i):
        nonlocal waiting
        try:
            answers[i] = BUS.call_finish(result).unpack()
        except GLib.Error:
            pass
        waiting -= 1
        if waiting == 0:
            loop.quit()

    for i, (at, interface, method, signature, *values) in enumerate(asked):
        BUS.call(*at, interface, method, GLib.Variant(signature, tuple(values)), None, 0, PATIENCE_MS, None, answered, i)
    if asked:
        loop.run()
    return answers


def call(*asked):
    """The answer to one call: to the object at the name of its program and its path."""
    (answer,) = calls([asked])
    if answer is None:
        raise Trouble(f"{asked[2]} was not answered")
    return answer


def children(level):
    """The children of some objects. A program that holds the window of another tells of it by number only."""
    found = [answer[0] if answer else [] for answer in calls([(at, ACCESSIBLE, "GetChildren", "()") for at in level])]
    silent = [i for i, below in enumerate(found) if not below]
    counts = calls([(level[i], PROPERTIES, "Get", "(ss)", ACCESSIBLE, "ChildCount") for i in silent])
    for i, count in zip(silent, counts):
        asked = [(level[i], ACCESSIBLE, "GetChildAtIndex", "(i)", n) for n in range(count[0] if count else 0)]
        found[i] = [answer[0] for answer in calls(asked) if answer]
    return [[tuple(child) for child in below] for below in found]


def walk():
    """All objects of all programs, in the order of the tree; one that vanishes meanwhile is passed over."""
    top = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
    level, below = [top], {}
    for _ in range(DEEPEST):
        found = children(level)
        below |= zip(level, found)
        level = [child for siblings in found for child in siblings if child not in below]
        if not level:
            break

    def ordered(at):
        for child in below.get(at, []):
            yield child
            yield from ordered(child)

    return list(ordered(top))


class Object:
    """An object as it tells of itself. Most have no text."""

    ASKED = (
        (PROPERTIES, "Get", "(ss)", ACCESSIBLE, "Name"),
        (ACCESSIBLE, "GetRole", "()"),
        (PROPERTIES, "Get", "(ss)", ACCESSIBLE, "Description"),
        (ACCESSIBLE, "GetState", "()"),
        ("org.a11y.atspi.Text", "GetText", "(ii)", 0, -1),
    )

    def __init__(self, at, name, role, description, states, text):
        self.at, self.name, self.description, self.text = at, name, description, text or ""
        self.role = Atspi.role_get_name(Atspi.Role(role))
        self.states = states[0] | states[1] << 32

    def has(self, state):
        return bool(self.states >> int(state) & 1)

    def seen(self):
        row = {"role": self.role, "name": self.name, "description": self.description, "text": self.text}
        return row | {word: self.has(state) for word, state in STATES.items()}


def objects():
    """All objects of all programs, in the order of the tree."""
    found, n = walk(), len(Object.ASKED)
    answers = [answer[0] if answer else None for answer in calls([(at, *question) for at in found for question in Object.ASKED])]
    told = [(at, *answers[i * n : i * n + n]) for i, at in enumerate(found)]
    return [Object(*row) for row in told if None not in row[:-1]]


def named(name, kind):
    for o in objects():
        if o.name == name and kind in o.role and o.has(STATE.SENSITIVE):
            return o.at
    raise Trouble(f"no enabled {kind} called {name!r}")


def field(name):
    for o in objects():
        if o.name == name and o.has(STATE.EDITABLE):
            return o.at
    raise Trouble(f"no field called {name!r}")


def tree():
    return [o.seen() for o in objects()]


def press(name, role):
    if not call(named(name, role), "org.a11y.atspi.Action", "DoAction", "(i)", 0)[0]:
        raise Trouble(f"{name!r} could not be pressed")


def place(name, role):
    screen = 0
    x, y, width, height = call(named(name, role), "org.a11y.atspi.Component", "GetExtents", "(u)", screen)[0]
    return x + width // 2, y + height // 2


def enter(name):
    if not call(field(name), "org.a11y.atspi.Component", "GrabFocus", "()")[0]:
        raise Trouble(f"{name!r} takes no focus")


VERBS = {verb.__name__: verb for verb in (tree, press, place, enter)}

for line in sys.stdin:
    verb, *words = json.loads(line)
    try:
        said = {"answer": VERBS[verb](*words)}
    except Trouble as trouble:
        said = {"trouble": str(trouble)}
    if BUS.is_closed():
        break
    print(json.dumps(said), flush=True)
