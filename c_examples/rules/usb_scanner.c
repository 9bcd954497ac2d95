/* A driver of a usb scanner: requests in a list behind a spinlock, lines that an interrupt delivers.
 *
 * rule: linux-alloc-in-spinlock
 * With -DBUG a request is allocated with GFP_KERNEL by a path that holds the spinlock.
 */
typedef unsigned long size_t;
typedef unsigned gfp_t;

#define GFP_ATOMIC 32u
#define GFP_KERNEL 208u
#define ENOMEM 12
#define ENODEV 19
#define EINVAL 22
#define EBUSY 16
#define LINE 128
#define MOST 8

typedef struct {
    int raw;
} spinlock_t;

extern void spin_lock(spinlock_t *lock);
extern int spin_trylock(spinlock_t *lock);
extern void spin_unlock(spinlock_t *lock);
extern void *kmalloc(size_t size, gfp_t flags);
extern void *vmalloc(unsigned long size);
extern void kfree(const void *block);
extern void vfree(const void *block);
extern int usb_submit(void *request, size_t size);
extern void usb_cancel(void *request);
extern int nondet_int(void);
extern unsigned nondet_uint(void);

enum state { GONE, IDLE, WARMING, SCANNING, STOPPING };

struct request {
    unsigned number;
    unsigned size;
    int status;
    unsigned char line[LINE];
};

struct scanner {
    spinlock_t lock;
    enum state state;
    struct request *queued[MOST];
    unsigned count, next_number;
    unsigned resolution, lines_left, errors;
    unsigned char *page;
};

static struct scanner scanner;

/* ---------------------------------------------------------------- requests */

/* May be called with the lock held where the flags say so. */
static struct request *new_request(struct scanner *s, gfp_t flags)
{
    struct request *made = kmalloc(sizeof *made, flags);

    if (!made)
        return 0;
    made->number = s->next_number++;
    made->size = LINE;
    made->status = 0;
    return made;
}

static int queue_locked(struct scanner *s, struct request *r)
{
    if (s->count >= MOST)
        return -EBUSY;
    s->queued[s->count++] = r;
    return 0;
}

static struct request *dequeue_locked(struct scanner *s)
{
    struct request *first;
    unsigned k;

    if (s->count == 0)
        return 0;
    first = s->queued[0];
    for (k = 1; k < s->count && k < MOST; k++)
        s->queued[k - 1] = s->queued[k];
    s->count--;
    return first;
}

static int submit(struct scanner *s, gfp_t flags)
{
    struct request *r = new_request(s, flags);
    int error;

    if (!r)
        return -ENOMEM;
    spin_lock(&s->lock);
    error = s->state == GONE ? -ENODEV : queue_locked(s, r);
    spin_unlock(&s->lock);
    if (error) {
        kfree(r);
        return error;
    }
    return usb_submit(r, sizeof *r);
}

/* ---------------------------------------------------------- plug and unplug */

static int probe(struct scanner *s)
{
    unsigned char *page = vmalloc(LINE * 1024);

    if (!page)
        return -ENOMEM;
    spin_lock(&s->lock);
    if (s->state != GONE) {
        spin_unlock(&s->lock);
        vfree(page);
        return -EBUSY;
    }
    s->page = page;
    s->state = IDLE;
    s->count = 0;
    s->errors = 0;
    s->resolution = 300;
    spin_unlock(&s->lock);
    return 0;
}

static void disconnect(struct scanner *s)
{
    struct request *r;
    unsigned char *page;

    spin_lock(&s->lock);
    if (s->state == GONE) {
        spin_unlock(&s->lock);
        return;
    }
    s->state = GONE;
    page = s->page;
    s->page = 0;
    while ((r = dequeue_locked(s))) {
        usb_cancel(r);
        kfree(r);
    }
    spin_unlock(&s->lock);
    vfree(page);
}

/* -------------------------------------------------------------- operations */

static int set_resolution(struct scanner *s, unsigned dots)
{
    int error = 0;

    if (dots < 75 || dots > 2400)
        return -EINVAL;
    spin_lock(&s->lock);
    if (s->state == IDLE)
        s->resolution = dots;
    else
        error = -EBUSY;
    spin_unlock(&s->lock);
    return error;
}

static int begin_scan(struct scanner *s, unsigned lines)
{
    unsigned k;

    spin_lock(&s->lock);
    if (s->state != IDLE) {
        spin_unlock(&s->lock);
        return s->state == GONE ? -ENODEV : -EBUSY;
    }
    s->state = WARMING;
    s->lines_left = lines;
    spin_unlock(&s->lock);
    for (k = 0; k < 2; k++)
        if (submit(s, GFP_KERNEL) < 0)
            return -ENOMEM;
    return 0;
}

static void stop_scan(struct scanner *s)
{
    spin_lock(&s->lock);
    if (s->state == SCANNING || s->state == WARMING)
        s->state = STOPPING;
    spin_unlock(&s->lock);
}

/* ---------------------------------------------------- in an interrupt: a line */

static void renew_locked(struct scanner *s)
{
    struct request *r;

#ifdef BUG
    r = new_request(s, s->errors > 2 ? GFP_KERNEL : GFP_ATOMIC);
#else
    r = new_request(s, GFP_ATOMIC);
#endif
    if (!r || queue_locked(s, r) != 0) {
        s->errors++;
        kfree(r);
    }
}

static void line_arrived(struct scanner *s, int status)
{
    struct request *r;

    if (!spin_trylock(&s->lock))
        return;
    r = dequeue_locked(s);
    if (s->state == WARMING)
        s->state = SCANNING;
    if (status < 0) {
        s->errors++;
        renew_locked(s);
    } else if (s->lines_left > 0) {
        s->lines_left--;
        if (s->state == SCANNING)
            renew_locked(s);
    }
    if (s->state == STOPPING || s->lines_left == 0)
        s->state = s->state == GONE ? GONE : IDLE;
    spin_unlock(&s->lock);
    kfree(r);
}

/* ------------------------------------------------- the kernel, in any order */

int main(void)
{
    while (nondet_int()) {
        switch (nondet_uint() % 6) {
        case 0:
            probe(&scanner);
            break;
        case 1:
            disconnect(&scanner);
            break;
        case 2:
            set_resolution(&scanner, nondet_uint());
            break;
        case 3:
            begin_scan(&scanner, nondet_uint());
            break;
        case 4:
            stop_scan(&scanner);
            break;
        default:
            line_arrived(&scanner, nondet_int());
        }
    }
    return 0;
}
