//go:build !bindings

package main

/*
#cgo pkg-config: gtk+-3.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <gtk/gtk.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/gdkx.h>
#endif
#ifdef GDK_WINDOWING_WAYLAND
#include <gdk/gdkwayland.h>
#endif

extern void windowStands(uintptr_t, int, int, int, int, int, int, int, int);

// TheWindow is the one there is, as GTK has it. Only GTK's own thread looks into it.
typedef struct {
	GtkWindow *window;
	uintptr_t listener;
	guint lower;
} TheWindow;

enum { SHOW, HIDE, MINIMISE, SHRINK, RESTORE };

// Order is something to do with the window, on GTK's own thread.
typedef struct {
	TheWindow *screen;
	int verb, x, y, width, height, maximised;
	char *token;
} Order;

static void tell(TheWindow *s) {
	if (s->window == NULL) return;
	GdkWindow *drawn = gtk_widget_get_window(GTK_WIDGET(s->window));
	GdkWindowState state = drawn ? gdk_window_get_state(drawn) : GDK_WINDOW_STATE_WITHDRAWN;
	int x, y, width, height;
	gtk_window_get_position(s->window, &x, &y);
	gtk_window_get_size(s->window, &width, &height);
	windowStands(s->listener, gtk_widget_get_visible(GTK_WIDGET(s->window)), gtk_window_is_active(s->window),
		(state & GDK_WINDOW_STATE_ICONIFIED) != 0, (state & GDK_WINDOW_STATE_MAXIMIZED) != 0, x, y, width, height);
}

static void changed(GObject *window, GParamSpec *property, gpointer s) { tell(s); }

static gboolean happened(GtkWidget *window, GdkEvent *event, gpointer s) {
	tell(s);
	return FALSE;
}

// keep is told of what is put into containers. The first is Wails' window: that is
// kept from being shown with all that is in it.
static gboolean keep(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
	GObject *container = g_value_get_object(values);
	if (!GTK_IS_WINDOW(container)) return TRUE;
	gtk_widget_set_no_show_all(GTK_WIDGET(container), TRUE);
	return FALSE;
}

static void withhold(void) {
	g_type_class_ref(GTK_TYPE_CONTAINER);
	g_signal_add_emission_hook(g_signal_lookup("add", GTK_TYPE_CONTAINER), 0, keep, NULL, NULL);
}

// adopt finds the window that Wails made, the only one that there is by then.
static gboolean adopt(gpointer data) {
	TheWindow *s = data;
	GList *all = gtk_window_list_toplevels();
	for (GList *l = all; l != NULL && s->window == NULL; l = l->next)
		if (gtk_window_get_window_type(l->data) == GTK_WINDOW_TOPLEVEL) s->window = l->data;
	g_list_free(all);
	if (s->window != NULL) {
		g_object_add_weak_pointer(G_OBJECT(s->window), (gpointer *)&s->window);
		gtk_widget_realize(GTK_WIDGET(s->window));
		g_signal_connect(s->window, "notify::is-active", G_CALLBACK(changed), s);
		g_signal_connect(s->window, "notify::visible", G_CALLBACK(changed), s);
		g_signal_connect(s->window, "window-state-event", G_CALLBACK(happened), s);
		g_signal_connect(s->window, "configure-event", G_CALLBACK(happened), s);
		tell(s);
	}
	return G_SOURCE_REMOVE;
}

static TheWindow *takeScreen(uintptr_t listener) {
	TheWindow *s = g_new0(TheWindow, 1);
	s->listener = listener;
	g_idle_add_full(G_PRIORITY_DEFAULT, adopt, s, NULL);
	return s;
}

static gboolean lower(gpointer data) {
	TheWindow *s = data;
	s->lower = 0;
	if (s->window != NULL) gtk_window_set_keep_above(s->window, FALSE);
	return G_SOURCE_REMOVE;
}

// show puts the window on the screen, for a second over all others, with the keyboard
// where the desktop lets it: X11 wants a time of now, Wayland the token.
static void show(TheWindow *s, const char *token) {
	GtkWidget *window = GTK_WIDGET(s->window);
	guint32 now = GDK_CURRENT_TIME;
	if (gtk_widget_get_no_show_all(window)) {
		gtk_widget_set_no_show_all(window, FALSE);
		gtk_widget_show_all(window);
	}
	gtk_widget_show(window);
	gtk_window_deiconify(s->window);
	gtk_window_set_keep_above(s->window, TRUE);
	if (s->lower != 0) g_source_remove(s->lower);
	s->lower = g_timeout_add(1000, lower, s);
#ifdef GDK_WINDOWING_X11
	if (GDK_IS_X11_WINDOW(gtk_widget_get_window(window))) now = gdk_x11_get_server_time(gtk_widget_get_window(window));
#endif
#ifdef GDK_WINDOWING_WAYLAND
	GdkDisplay *display = gtk_widget_get_display(window);
	if (token[0] != 0 && GDK_IS_WAYLAND_DISPLAY(display)) gdk_wayland_display_set_startup_notification_id(display, token);
#endif
	gtk_window_present_with_time(s->window, now);
}

// shrink makes the window small, in the middle of where it is, and as small as fits.
static void shrink(TheWindow *s, int width, int height) {
	GdkDisplay *display = gtk_widget_get_display(GTK_WIDGET(s->window));
	GdkWindow *drawn = gtk_widget_get_window(GTK_WIDGET(s->window));
	GdkMonitor *monitor = drawn ? gdk_display_get_monitor_at_window(display, drawn) : gdk_display_get_primary_monitor(display);
	gtk_window_unmaximize(s->window);
	if (monitor != NULL) {
		GdkRectangle room;
		gdk_monitor_get_workarea(monitor, &room);
		width = MIN(width, room.width * 9 / 10);
		height = MIN(height, room.height * 9 / 10);
		gtk_window_move(s->window, room.x + (room.width - width) / 2, room.y + (room.height - height) / 2);
	}
	gtk_window_resize(s->window, width, height);
}

static gboolean obey(gpointer data) {
	Order *o = data;
	GtkWindow *window = o->screen->window;
	if (window != NULL) switch (o->verb) {
	case SHOW: show(o->screen, o->token); break;
	case HIDE: gtk_widget_hide(GTK_WIDGET(window)); break;
	case MINIMISE: gtk_window_iconify(window); break;
	case SHRINK: shrink(o->screen, o->width, o->height); break;
	case RESTORE:
		gtk_window_resize(window, o->width, o->height);
		gtk_window_move(window, o->x, o->y);
		if (o->maximised) gtk_window_maximize(window);
	}
	free(o->token);
	g_free(o);
	return G_SOURCE_REMOVE;
}

static void order(TheWindow *s, int verb, int x, int y, int width, int height, int maximised, char *token) {
	Order *o = g_new0(Order, 1);
	*o = (Order){s, verb, x, y, width, height, maximised, token};
	g_idle_add_full(G_PRIORITY_DEFAULT, obey, o, NULL);
}
*/
import "C"

import (
	"context"
	"runtime/cgo"
)

// gtkScreen is the window by GTK itself, which knows more of it than Wails does:
// whether it has the keyboard, and how to resize it on the one thread where that is
// allowed. Nothing here waits.
type gtkScreen struct{ c *C.TheWindow }

// withheld keeps the window from being shown when it is made, and reports that. Wails
// would show it and hide it a while later: it would flash up, or be hidden when it was
// wanted meanwhile. To be called before Wails runs.
func withheld() bool {
	C.withhold()
	return true
}

// takeScreen takes hold of the window that Wails made; stands hears how it stands,
// now and whenever that changes. It must not wait.
func takeScreen(_, _ context.Context, stands func(standing)) screen {
	return gtkScreen{C.takeScreen(C.uintptr_t(cgo.NewHandle(stands)))}
}

//export windowStands
func windowStands(listener C.uintptr_t, shown, focused, minimised, maximised, x, y, width, height C.int) {
	stands, ok := cgo.Handle(listener).Value().(func(standing))
	if ok {
		stands(standing{shown: shown != 0, focused: focused != 0, minimised: minimised != 0,
			spot: spot{int(x), int(y), int(width), int(height), maximised != 0}})
	}
}

func (s gtkScreen) show(token string) {
	C.order(s.c, C.SHOW, 0, 0, 0, 0, 0, C.CString(token))
}

func (s gtkScreen) hide() { C.order(s.c, C.HIDE, 0, 0, 0, 0, 0, nil) }

func (s gtkScreen) minimise() { C.order(s.c, C.MINIMISE, 0, 0, 0, 0, 0, nil) }

func (s gtkScreen) shrink(width, height int) {
	C.order(s.c, C.SHRINK, 0, 0, C.int(width), C.int(height), 0, nil)
}

func (s gtkScreen) restore(to spot) {
	maximised := C.int(0)
	if to.maximised {
		maximised = 1
	}
	C.order(s.c, C.RESTORE, C.int(to.x), C.int(to.y), C.int(to.width), C.int(to.height), maximised, nil)
}
