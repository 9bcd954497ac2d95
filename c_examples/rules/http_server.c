/* A tiny http server: one client at a time, three pages, a log of counts.
 *
 * rule: socket-order
 * With -DBUG the server accepts although it could not listen.
 */
typedef unsigned long size_t;
typedef long ssize_t;

struct address {
    unsigned short family, port;
    unsigned ip;
    char zero[8];
};

extern int socket(int domain, int type, int protocol);
extern int bind(int socket, const struct address *to, unsigned size);
extern int listen(int socket, int backlog);
extern int accept(int socket, struct address *from, unsigned *size);
extern ssize_t recv(int socket, void *to, size_t size, int flags);
extern ssize_t send(int socket, const void *from, size_t size, int flags);
extern int shut_down_wanted(void);
extern void close_socket(int socket);

#define STREAM 1
#define INET 2
#define REQUEST 128
#define BACKLOG 16
#define MOST_FAILURES 5

enum method { GET, HEAD, OTHER };
enum status { OK = 200, BAD_REQUEST = 400, NOT_FOUND = 404, NOT_ALLOWED = 405 };
enum page { HOME, ABOUT, HEALTH, NO_PAGE };

struct request {
    enum method method;
    enum page page;
    unsigned length;
    char text[REQUEST];
};

struct counts {
    unsigned served, refused, broken;
};

struct server {
    int socket;
    unsigned short port;
    unsigned failures;
    struct counts counts;
};

/* ---------------------------------------------------------------- requests */

static int begins_with(const char *text, unsigned length, const char *word, unsigned size)
{
    unsigned k;

    if (length < size)
        return 0;
    for (k = 0; k < size; k++)
        if (text[k] != word[k])
            return 0;
    return 1;
}

static enum page page_of(const char *path, unsigned length)
{
    if (length >= 6 && begins_with(path, length, "/about", 6))
        return ABOUT;
    if (length >= 7 && begins_with(path, length, "/health", 7))
        return HEALTH;
    if (length >= 2 && path[0] == '/' && path[1] == ' ')
        return HOME;
    return NO_PAGE;
}

static enum status parse(struct request *request)
{
    unsigned skip;

    request->page = NO_PAGE;
    if (begins_with(request->text, request->length, "GET ", 4)) {
        request->method = GET;
        skip = 4;
    } else if (begins_with(request->text, request->length, "HEAD ", 5)) {
        request->method = HEAD;
        skip = 5;
    } else {
        request->method = OTHER;
        return request->length < 4 ? BAD_REQUEST : NOT_ALLOWED;
    }
    request->page = page_of(request->text + skip, request->length - skip);
    return request->page == NO_PAGE ? NOT_FOUND : OK;
}

static int receive(int client, struct request *request)
{
    ssize_t got = recv(client, request->text, REQUEST, 0);

    if (got <= 0 || got > REQUEST)
        return -1;
    request->length = (unsigned)got;
    return 0;
}

/* ----------------------------------------------------------------- answers */

static const char *line_of(enum status status)
{
    switch (status) {
    case OK:
        return "HTTP/1.0 200 OK\r\n\r\n";
    case NOT_FOUND:
        return "HTTP/1.0 404 no\r\n\r\n";
    case NOT_ALLOWED:
        return "HTTP/1.0 405 no\r\n\r\n";
    default:
        return "HTTP/1.0 400 no\r\n\r\n";
    }
}

static int answer(int client, const struct request *request, enum status status)
{
    static const char home[] = "<h1>home</h1>\n", about[] = "<h1>about</h1>\n";
    const char *body = request->page == ABOUT ? about : home;

    if (send(client, line_of(status), 19, 0) < 0)
        return -1;
    if (status != OK || request->method == HEAD)
        return 0;
    if (request->page == HEALTH)
        return send(client, "ok\n", 3, 0) < 0 ? -1 : 0;
    return send(client, body, sizeof home - 1, 0) < 0 ? -1 : 0;
}

static void serve(struct server *server, int client)
{
    struct request request;
    enum status status;

    if (receive(client, &request) < 0) {
        server->counts.broken++;
        return;
    }
    status = parse(&request);
    if (answer(client, &request, status) < 0)
        server->counts.broken++;
    else if (status == OK)
        server->counts.served++;
    else
        server->counts.refused++;
}

/* ------------------------------------------------------------------ server */

static int begin(struct server *server)
{
    struct address own;

    server->socket = socket(INET, STREAM, 0);
    if (server->socket < 0)
        return -1;
    own.family = INET;
    own.port = server->port;
    own.ip = 0;
    if (bind(server->socket, &own, sizeof own) != 0) {
        close_socket(server->socket);
        return -1;
    }
    if (listen(server->socket, BACKLOG) != 0) {
#ifndef BUG
        close_socket(server->socket);
        return -1;
#else
        server->failures++;
#endif
    }
    return 0;
}

static void run(struct server *server)
{
    while (!shut_down_wanted() && server->failures < MOST_FAILURES) {
        int client = accept(server->socket, 0, 0);
        if (client < 0) {
            server->failures++;
            continue;
        }
        server->failures = 0;
        serve(server, client);
        close_socket(client);
    }
}

int main(void)
{
    struct server server = {-1, 8080, 0, {0, 0, 0}};

    if (begin(&server) != 0)
        return 1;
    run(&server);
    close_socket(server.socket);
    return server.counts.broken > server.counts.served;
}
