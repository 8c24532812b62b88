#!/usr/bin/python3
"""Sees and uses windows as assistive technology does, through AT-SPI.

usage: accessibility.py tree           every object of every program, as JSON
       accessibility.py press NAME [ROLE]  presses the enabled button of that name, or what has another role
       accessibility.py place NAME ROLE    where the middle of it is on the screen: X Y
       accessibility.py enter NAME         gives the focus to the field of that name
"""
import json
import sys

import pyatspi

STATES = {"enabled": pyatspi.STATE_SENSITIVE, "focused": pyatspi.STATE_FOCUSED, "modal": pyatspi.STATE_MODAL, "showing": pyatspi.STATE_SHOWING}


def objects(top, depth=0):
    """Yields the objects below top; one that vanishes meanwhile is passed over."""
    if depth > 60:
        return
    for i in range(top.childCount):
        try:
            child = top.getChildAtIndex(i)
            if child is None:
                continue
            yield child
            yield from objects(child, depth + 1)
        except Exception:
            continue


def text_of(o):
    try:
        return o.queryText().getText(0, -1)
    except NotImplementedError:
        return ""


def seen(o):
    states = o.getState()
    row = {"role": o.getRoleName(), "name": o.name, "description": o.description, "text": text_of(o)}
    row.update({word: states.contains(state) for word, state in STATES.items()})
    return row


def named(name, kind):
    for o in objects(pyatspi.Registry.getDesktop(0)):
        try:
            if o.name == name and kind in o.getRoleName() and o.getState().contains(pyatspi.STATE_SENSITIVE):
                return o
        except Exception:
            continue
    sys.exit(f"no enabled {kind} called {name!r}")


def field(name):
    for o in objects(pyatspi.Registry.getDesktop(0)):
        try:
            if o.name == name and o.getState().contains(pyatspi.STATE_EDITABLE):
                return o
        except Exception:
            continue
    sys.exit(f"no field called {name!r}")


def tree():
    rows = []
    for o in objects(pyatspi.Registry.getDesktop(0)):
        try:
            rows.append(seen(o))
        except Exception:
            continue
    json.dump(rows, sys.stdout)


def main(verb, *args):
    if verb == "tree":
        tree()
    elif verb == "press":
        if not named(args[0], *(args[1:] or ["button"])).queryAction().doAction(0):
            sys.exit(f"{args[0]!r} could not be pressed")
    elif verb == "place":
        box = named(*args).queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        print(box.x + box.width // 2, box.y + box.height // 2)
    elif verb == "enter":
        if not field(args[0]).queryComponent().grabFocus():
            sys.exit(f"{args[0]!r} takes no focus")
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
