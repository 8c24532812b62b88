/* Starts a program and says when the screen changed first and last because of it: the time from
 * before its fork, in milliseconds. The screen is done when it stays as it is for as long as the
 * first argument says. Then it waits until the program ends. */
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static XImage *look(Display *display)
{
    Window root = DefaultRootWindow(display);
    XWindowAttributes a;
    XGetWindowAttributes(display, root, &a);
    return XGetImage(display, root, 0, 0, a.width, a.height, AllPlanes, ZPixmap);
}

int main(int argc, char **argv)
{
    Display *display = XOpenDisplay(NULL);
    if (argc < 3 || display == NULL) return 2;
    double still = atof(argv[1]), began, first = 0, last = 0;
    XImage *before = look(display);
    began = now();
    pid_t child = fork();
    if (child == 0) {
        execv(argv[2], argv + 2);
        _exit(127);
    }
    while (first == 0 || now() - began < last + still) {
        struct timespec nap = {0, 5000000};
        nanosleep(&nap, NULL);
        if (waitpid(child, NULL, WNOHANG) != 0) return 1;
        double at = now() - began;
        XImage *image = look(display);
        if (memcmp(image->data, before->data, (size_t)image->bytes_per_line * image->height) != 0) {
            last = at;
            if (first == 0) first = at;
        }
        XDestroyImage(before);
        before = image;
    }
    printf("%d %.1f %.1f\n", child, first, last);
    fflush(stdout);
    waitpid(child, NULL, 0);
    return 0;
}
