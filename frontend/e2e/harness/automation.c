/* Preloaded into a test build of the window: makes its one web view an
 * automated one, so that WebKitWebDriver can take hold of it. An automated view
 * can only be made as such, so the function that makes it is stood in for. */
#include <webkit2/webkit2.h>

static WebKitWebView *the_view;

static WebKitWebView *hand_over_view(WebKitAutomationSession *session, gpointer unused)
{
    (void)session;
    (void)unused;
    return the_view;
}

static void greet_session(WebKitWebContext *context, WebKitAutomationSession *session, gpointer unused)
{
    WebKitApplicationInfo *info = webkit_application_info_new();
    (void)context;
    (void)unused;
    webkit_application_info_set_name(info, "sekisho-desktop");
    webkit_automation_session_set_application_info(session, info);
    webkit_application_info_unref(info);
    g_signal_connect(session, "create-web-view", G_CALLBACK(hand_over_view), NULL);
}

GtkWidget *webkit_web_view_new_with_user_content_manager(WebKitUserContentManager *manager)
{
    WebKitWebContext *context = webkit_web_context_get_default();
    webkit_web_context_set_automation_allowed(context, TRUE);
    g_signal_connect(context, "automation-started", G_CALLBACK(greet_session), NULL);
    the_view = WEBKIT_WEB_VIEW(g_object_new(WEBKIT_TYPE_WEB_VIEW,
                                            "web-context", context,
                                            "user-content-manager", manager,
                                            "is-controlled-by-automation", TRUE,
                                            NULL));
    return GTK_WIDGET(the_view);
}
