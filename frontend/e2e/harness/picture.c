/* Starts a program and says when the screen changed first and last because of it: the time from
 * before its fork, in milliseconds. The screen is done when it stays as it is for as long as the
 * first argument says. Then it waits until the program ends. It looks when the X server says that
 * something was drawn: to look all the time took half a core, which the program missed. */
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XShm.h>
#include <X11/extensions/Xdamage.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* A picture of the screen in memory that the X server shares: one that comes over the socket takes
 * most of a core, which the program would miss. */
static XImage *shared(Display *display)
{
    static XShmSegmentInfo memory;
    int screen = DefaultScreen(display), width = DisplayWidth(display, screen), height = DisplayHeight(display, screen);
    XImage *image = XShmCreateImage(display, DefaultVisual(display, screen), DefaultDepth(display, screen), ZPixmap, NULL, &memory, width, height);
    if (image == NULL) return NULL;
    memory.shmid = shmget(IPC_PRIVATE, (size_t)image->bytes_per_line * image->height, IPC_CREAT | 0600);
    memory.shmaddr = image->data = shmat(memory.shmid, NULL, 0);
    Bool attached = image->data != (void *)-1 && XShmAttach(display, &memory);
    XSync(display, False);
    shmctl(memory.shmid, IPC_RMID, NULL);
    return attached ? image : NULL;
}

int main(int argc, char **argv)
{
    Display *display = XOpenDisplay(NULL);
    if (argc < 3 || display == NULL) return 2;
    double still = atof(argv[1]), began, first = 0, last = 0;
    int events, errors;
    if (!XDamageQueryExtension(display, &events, &errors)) return 2;
    Damage drawn = XDamageCreate(display, DefaultRootWindow(display), XDamageReportNonEmpty);
    XImage *image = shared(display);
    if (image == NULL || !XShmGetImage(display, DefaultRootWindow(display), image, 0, 0, AllPlanes)) return 2;
    size_t size = (size_t)image->bytes_per_line * image->height;
    char *before = malloc(size);
    if (before == NULL) return 2;
    memcpy(before, image->data, size);
    began = now();
    pid_t child = fork();
    if (child == 0) {
        execv(argv[2], argv + 2);
        _exit(127);
    }
    while (first == 0 || now() - began < last + still) {
        struct pollfd server = {ConnectionNumber(display), POLLIN, 0};
        if (!XPending(display)) poll(&server, 1, 20);
        if (waitpid(child, NULL, WNOHANG) != 0) return 1;
        if (!XPending(display)) continue;
        for (XEvent event; XPending(display);) XNextEvent(display, &event);
        double at = now() - began;
        XDamageSubtract(display, drawn, None, None);
        if (!XShmGetImage(display, DefaultRootWindow(display), image, 0, 0, AllPlanes)) return 2;
        usleep(5000); /* what is drawn meanwhile is one event */
        if (memcmp(image->data, before, size) == 0) continue;
        memcpy(before, image->data, size);
        last = at;
        if (first == 0) first = at;
    }
    XDamageDestroy(display, drawn);
    XSync(display, False);
    printf("%d %.1f %.1f\n", child, first, last);
    fflush(stdout);
    waitpid(child, NULL, 0);
    return 0;
}
