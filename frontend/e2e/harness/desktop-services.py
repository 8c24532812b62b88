#!/usr/bin/python3
"""The services of a desktop, made up: shows nothing, and tells what it was asked.

usage: desktop-services.py [notifications] [tray]

Prints a line of JSON for each call that it gets. What a person would do at them is
asked for over the bus, of dev.sekisho.Test: Invoke(id, key) presses a notification.
"""
import json
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NOTIFICATIONS = "org.freedesktop.Notifications"
WATCHER = "org.kde.StatusNotifierWatcher"


def say(**what):
    print(json.dumps(what), flush=True)


class Notifications(dbus.service.Object):
    last = 0

    @dbus.service.method(NOTIFICATIONS, in_signature="", out_signature="as")
    def GetCapabilities(self):
        return ["actions", "body", "body-markup"]

    @dbus.service.method(NOTIFICATIONS, in_signature="susssasa{sv}i", out_signature="u", sender_keyword="sender")
    def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout, sender=None):
        if not replaces:
            self.last += 1
        number = int(replaces) or self.last
        say(kind="notify", id=number, replaces=int(replaces), summary=str(summary), body=str(body), actions=[str(a) for a in actions], hints={str(k): str(v)[:40] for k, v in hints.items()}, sender=str(sender))
        return number

    @dbus.service.method(NOTIFICATIONS, in_signature="u", out_signature="")
    def CloseNotification(self, number):
        say(kind="close", id=int(number))
        self.NotificationClosed(number, 3)

    @dbus.service.signal(NOTIFICATIONS, signature="uu")
    def NotificationClosed(self, number, reason):
        pass

    @dbus.service.signal(NOTIFICATIONS, signature="us")
    def ActivationToken(self, number, token):
        pass

    @dbus.service.signal(NOTIFICATIONS, signature="us")
    def ActionInvoked(self, number, key):
        pass


class Watcher(dbus.service.Object):
    @dbus.service.method(WATCHER, in_signature="s", out_signature="")
    def RegisterStatusNotifierItem(self, item):
        say(kind="item", item=str(item))

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
    def Get(self, of, name):
        say(kind="asked")
        return name == "IsStatusNotifierHostRegistered"


class Control(dbus.service.Object):
    notifications = None

    @dbus.service.method("dev.sekisho.Test", in_signature="us", out_signature="")
    def Invoke(self, number, key):
        self.notifications.ActivationToken(number, "a-token")
        self.notifications.ActionInvoked(number, key)


def main(wanted):
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    names = [dbus.service.BusName("dev.sekisho.Test", bus)]
    control = Control(bus, "/")
    if "notifications" in wanted:
        control.notifications = Notifications(bus, "/org/freedesktop/Notifications")
        names.append(dbus.service.BusName(NOTIFICATIONS, bus))
    if "tray" in wanted:
        watcher = Watcher(bus, "/StatusNotifierWatcher")
        names.append(dbus.service.BusName(WATCHER, bus))
    say(kind="ready")
    GLib.MainLoop().run()


main(sys.argv[1:])
