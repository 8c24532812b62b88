//go:build !bindings

package main

/*
#cgo pkg-config: gtk+-3.0
#cgo webkit2_41 pkg-config: webkit2gtk-4.1
#cgo !webkit2_41 pkg-config: webkit2gtk-4.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <gtk/gtk.h>
#include <webkit2/webkit2.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/gdkx.h>
#endif
#ifdef GDK_WINDOWING_WAYLAND
#include <gdk/gdkwayland.h>
#endif

extern char **environ;
extern void windowStands(uintptr_t, int, int, int, int, int, int, int, int);
extern void pageEnded(uintptr_t);
extern void personAnswers(uintptr_t, int);

// TheWindow is the one there is, as GTK has it. Only GTK's own thread looks into it.
typedef struct {
	GtkWindow *window;
	WebKitWebView *page;
	uintptr_t listener;
	guint lower;
} TheWindow;

enum { APPEAR, SHOW, HIDE, MINIMISE, SHRINK, RESTORE, RENEW, ASK, END };

// Order is something to do with the window, on GTK's own thread.
typedef struct {
	TheWindow *screen;
	int verb, x, y, width, height, maximised;
	char *words[4];
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

static void ended(WebKitWebView *page, WebKitWebProcessTerminationReason reason, gpointer data) {
	TheWindow *s = data;
	if (reason != WEBKIT_WEB_PROCESS_TERMINATED_BY_API) pageEnded(s->listener);
}

// find looks for the page among all that is in the window.
static void find(GtkWidget *w, gpointer data) {
	TheWindow *s = data;
	if (WEBKIT_IS_WEB_VIEW(w)) s->page = WEBKIT_WEB_VIEW(w);
	else if (GTK_IS_CONTAINER(w)) gtk_container_foreach(GTK_CONTAINER(w), find, s);
}

// keep is told of what is put into containers. The first is Wails' window: that is
// kept from being shown with all that is in it.
static gboolean keep(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
	GObject *container = g_value_get_object(values);
	if (!GTK_IS_WINDOW(container)) return TRUE;
	gtk_widget_set_no_show_all(GTK_WIDGET(container), TRUE);
	gtk_window_set_position(GTK_WINDOW(container), GTK_WIN_POS_CENTER);
	return FALSE;
}

// A graphics card's driver is of no use to a page that is drawn without the card. The web view
// loads EGL's all the same, into this program and before it starts the page's process, unless
// DMA-BUF is switched off and a device is named: a ninth of the time until the window is drawn.
// In an array of its own: setenv may free one that it made, when Wails sets another variable beside
// threads that read it.
static void spareDriver(void) {
	if (getenv("WEBKIT_DISABLE_DMABUF_RENDERER") || getenv("WEBKIT_WEB_RENDER_DEVICE_FILE")) return;
	char **own = g_environ_setenv(g_get_environ(), "WEBKIT_DISABLE_DMABUF_RENDERER", "1", TRUE);
	environ = g_environ_setenv(own, "WEBKIT_WEB_RENDER_DEVICE_FILE", "/dev/null", TRUE);
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
		find(GTK_WIDGET(s->window), s);
	}
	if (s->page != NULL) {
		g_object_add_weak_pointer(G_OBJECT(s->page), (gpointer *)&s->page);
		g_signal_connect(s->page, "web-process-terminated", G_CALLBACK(ended), s);
	}
	tell(s);
	return G_SOURCE_REMOVE;
}

static TheWindow *takeScreen(uintptr_t listener) {
	TheWindow *s = g_new0(TheWindow, 1);
	s->listener = listener;
	g_idle_add_full(G_PRIORITY_DEFAULT, adopt, s, NULL);
	return s;
}

// asleep is for how many nanoseconds the machine has slept since it started.
static int64_t asleep(void) {
	struct timespec all, up;
	clock_gettime(CLOCK_BOOTTIME, &all);
	clock_gettime(CLOCK_MONOTONIC, &up);
	return (all.tv_sec - up.tv_sec) * INT64_C(1000000000) + all.tv_nsec - up.tv_nsec;
}

static gboolean lower(gpointer data) {
	TheWindow *s = data;
	s->lower = 0;
	if (s->window != NULL) gtk_window_set_keep_above(s->window, FALSE);
	return G_SOURCE_REMOVE;
}

// appear puts a window on the screen that was kept from it.
static void appear(GtkWidget *window) {
	if (!gtk_widget_get_no_show_all(window)) return;
	gtk_widget_set_no_show_all(window, FALSE);
	gtk_widget_show_all(window);
}

// show puts the window on the screen, for a second over all others, with the keyboard
// where the desktop lets it: X11 wants a time of now, Wayland the token.
static void show(TheWindow *s, const char *token) {
	GtkWidget *window = GTK_WIDGET(s->window);
	guint32 now = GDK_CURRENT_TIME;
	appear(window);
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

// restore gives the window a size and a place, on a screen that is there.
static void restore(TheWindow *s, int x, int y, int width, int height, int maximised) {
	GdkDisplay *display = gtk_widget_get_display(GTK_WIDGET(s->window));
	GdkMonitor *monitor = gdk_display_get_monitor_at_point(display, x + width / 2, y + height / 2);
	if (monitor != NULL) {
		GdkRectangle room;
		gdk_monitor_get_workarea(monitor, &room);
		width = MIN(width, room.width);
		height = MIN(height, room.height);
		x = CLAMP(x, room.x, room.x + room.width - width);
		y = CLAMP(y, room.y, room.y + room.height - height);
	}
	gtk_window_resize(s->window, width, height);
	gtk_window_move(s->window, x, y);
	if (maximised) gtk_window_maximize(s->window);
}

// renew loads the page anew, in a process of its own: the one before may hang.
static void renew(TheWindow *s) {
	if (s->page == NULL) return;
	webkit_web_view_terminate_web_process(s->page);
	webkit_web_view_reload(s->page);
}

static void answered(GtkDialog *dialog, int response, gpointer data) {
	TheWindow *s = data;
	gtk_widget_destroy(GTK_WIDGET(dialog));
	personAnswers(s->listener, response == GTK_RESPONSE_ACCEPT);
}

// ask shows a question beside the page, which may not be there: a title, a text, the
// word for yes, and the one for no, if there is one.
static void ask(TheWindow *s, char *words[4]) {
	GtkWidget *dialog = gtk_message_dialog_new(s->window, GTK_DIALOG_MODAL, GTK_MESSAGE_OTHER, GTK_BUTTONS_NONE, "%s", words[0]);
	gtk_window_set_title(GTK_WINDOW(dialog), words[0]);
	gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog), "%s", words[1]);
	if (words[3][0] != 0) gtk_dialog_add_button(GTK_DIALOG(dialog), words[3], GTK_RESPONSE_REJECT);
	gtk_dialog_add_button(GTK_DIALOG(dialog), words[2], GTK_RESPONSE_ACCEPT);
	gtk_dialog_set_default_response(GTK_DIALOG(dialog), words[3][0] != 0 ? GTK_RESPONSE_REJECT : GTK_RESPONSE_ACCEPT);
	g_signal_connect(dialog, "response", G_CALLBACK(answered), s);
	gtk_window_present(GTK_WINDOW(dialog));
}

// end ends the main loop, once GTK has done what was ordered before. A dialog for a file has a loop
// of its own, and so has its question whether to replace one: they go first.
static void end(void) {
	GList *all = gtk_window_list_toplevels();
	for (GList *l = all; l != NULL; l = l->next)
		if (GTK_IS_FILE_CHOOSER_DIALOG(l->data) || (GTK_IS_DIALOG(l->data) && GTK_IS_FILE_CHOOSER_DIALOG(gtk_window_get_transient_for(l->data))))
			gtk_dialog_response(l->data, GTK_RESPONSE_CANCEL);
	g_list_free(all);
	gtk_main_quit();
}

static gboolean obey(gpointer data) {
	Order *o = data;
	GtkWindow *window = o->screen->window;
	if (o->verb == END) end();
	else if (window != NULL) switch (o->verb) {
	case APPEAR: appear(GTK_WIDGET(window)); break;
	case SHOW: show(o->screen, o->words[0]); break;
	case HIDE: gtk_widget_hide(GTK_WIDGET(window)); break;
	case MINIMISE: gtk_window_iconify(window); break;
	case SHRINK: shrink(o->screen, o->width, o->height); break;
	case RESTORE: restore(o->screen, o->x, o->y, o->width, o->height, o->maximised); break;
	case RENEW: renew(o->screen); break;
	case ASK: ask(o->screen, o->words); break;
	}
	for (int i = 0; i < 4; i++) free(o->words[i]);
	g_free(o);
	return G_SOURCE_REMOVE;
}

static void order(TheWindow *s, int verb, int x, int y, int width, int height, int maximised, char *w0, char *w1, char *w2, char *w3) {
	Order *o = g_new0(Order, 1);
	*o = (Order){s, verb, x, y, width, height, maximised, {w0, w1, w2, w3}};
	g_idle_add_full(G_PRIORITY_DEFAULT, obey, o, NULL);
}
*/
import "C"

import (
	"context"
	"runtime/cgo"
	"time"

	"sekisho/backend/notify"
)

// gtkScreen is the window by GTK itself, which knows more of it than Wails does:
// whether it has the keyboard, and how to resize it on the one thread where that is
// allowed. Nothing here waits.
type gtkScreen struct{ c *C.TheWindow }

// spareDriver is for the web view alone: programs that the desk starts get Go's copy of the
// environment, which is older. To be called before other threads read the environment.
func spareDriver() { C.spareDriver() }

// withheld keeps the window from being shown when it is made, and reports that. Wails
// would show it and hide it a while later: it would flash up, or be hidden when it was
// wanted meanwhile. To be called before Wails runs.
func withheld() bool {
	C.withhold()
	return true
}

// takeScreen takes hold of the window that Wails made, and hears of it from now on.
func takeScreen(_, _ context.Context, h hearing) screen {
	return gtkScreen{C.takeScreen(C.uintptr_t(cgo.NewHandle(h)))}
}

// slept is for how long the machine has slept.
func slept() time.Duration { return time.Duration(C.asleep()) }

// heard is who hears of the window.
func heard(listener C.uintptr_t) hearing {
	return cgo.Handle(listener).Value().(hearing)
}

//export windowStands
func windowStands(listener C.uintptr_t, shown, focused, minimised, maximised, x, y, width, height C.int) {
	heard(listener).stand(standing{shown: shown != 0, focused: focused != 0, minimised: minimised != 0,
		spot: spot{int(x), int(y), int(width), int(height), maximised != 0}})
}

//export pageEnded
func pageEnded(listener C.uintptr_t) { heard(listener).pageEnded() }

//export personAnswers
func personAnswers(listener C.uintptr_t, yes C.int) { heard(listener).answered(yes != 0) }

// order has GTK's own thread do something.
func (s gtkScreen) order(verb C.int, to spot, words ...string) {
	maximised := C.int(0)
	if to.maximised {
		maximised = 1
	}
	var w [4]*C.char
	for i := range words {
		w[i] = C.CString(words[i])
	}
	C.order(s.c, verb, C.int(to.x), C.int(to.y), C.int(to.width), C.int(to.height), maximised, w[0], w[1], w[2], w[3])
}

func (s gtkScreen) appear() { s.order(C.APPEAR, spot{}) }

func (s gtkScreen) show(token string) { s.order(C.SHOW, spot{}, token) }

func (s gtkScreen) hide() { s.order(C.HIDE, spot{}) }

func (s gtkScreen) minimise() { s.order(C.MINIMISE, spot{}) }

func (s gtkScreen) shrink(width, height int) { s.order(C.SHRINK, spot{width: width, height: height}) }

func (s gtkScreen) restore(to spot) { s.order(C.RESTORE, to) }

func (s gtkScreen) renew() { s.order(C.RENEW, spot{}) }

// endsItself says that the program ends by its own order END, and never by Wails' Quit: that ends GTK's main
// loop on any thread, and on two at a time when a signal comes, where the second meets what the first has freed.
const endsItself = true

func (s gtkScreen) end() { s.order(C.END, spot{}) }

func (s gtkScreen) ask(q notify.Question) { s.order(C.ASK, spot{}, q.Title, q.Text, q.Yes, q.No) }
