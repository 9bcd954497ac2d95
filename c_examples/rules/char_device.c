/* A character device: a ring of bytes, settings, and counters, each behind a mutex.
 *
 * rule: linux-mutex
 * With -DBUG one path of an operation leaves without giving the mutex of the settings back.
 */
typedef unsigned long size_t;
typedef long ssize_t;

struct mutex {
    int count;
    void *owner;
};

extern void mutex_init(struct mutex *lock);
extern void mutex_lock(struct mutex *lock);
extern int mutex_lock_interruptible(struct mutex *lock);
extern int mutex_trylock(struct mutex *lock);
extern void mutex_unlock(struct mutex *lock);
extern unsigned long copy_to_user(void *to, const void *from, unsigned long n);
extern unsigned long copy_from_user(void *to, const void *from, unsigned long n);
extern void wake_up(int *queue);
extern int nondet_int(void);
extern unsigned nondet_uint(void);

#define RING_SIZE 64
#define EINVAL 22
#define EFAULT 14
#define EBUSY 16
#define ENODEV 19
#define EINTR 4
#define EAGAIN 11
#define ENOTTY 25

enum command { SET_SPEED = 1, GET_SPEED, SET_MODE, RESET, FLUSH };
enum mode { MODE_RAW, MODE_LINE, MODE_PACKET, MODES };

struct settings {
    struct mutex lock;
    unsigned speed;
    enum mode mode;
    int is_frozen;
};

struct ring {
    struct mutex lock;
    unsigned char bytes[RING_SIZE];
    unsigned head, fill;
    int readers;
};

struct counters {
    struct mutex lock;
    unsigned long read, written, dropped, resets;
};

struct device {
    struct settings settings;
    struct ring ring;
    struct counters counters;
    int opened, is_gone;
};

static struct device device;

/* ---------------------------------------------------------------- counters */

static void count_read(struct device *d, size_t n)
{
    mutex_lock(&d->counters.lock);
    d->counters.read += n;
    mutex_unlock(&d->counters.lock);
}

static void count_written(struct device *d, size_t n, size_t dropped)
{
    mutex_lock(&d->counters.lock);
    d->counters.written += n;
    d->counters.dropped += dropped;
    mutex_unlock(&d->counters.lock);
}

static void count_reset(struct device *d)
{
    if (!mutex_trylock(&d->counters.lock))
        return;
    d->counters.resets++;
    mutex_unlock(&d->counters.lock);
}

/* -------------------------------------------------------------------- ring */

static void ring_clear(struct ring *ring)
{
    ring->head = 0;
    ring->fill = 0;
}

static int ring_put(struct ring *ring, unsigned char byte)
{
    if (ring->fill >= RING_SIZE)
        return 0;
    ring->bytes[(ring->head + ring->fill) % RING_SIZE] = byte;
    ring->fill++;
    return 1;
}

static int ring_get(struct ring *ring, unsigned char *byte)
{
    if (ring->fill == 0)
        return 0;
    *byte = ring->bytes[ring->head % RING_SIZE];
    ring->head = (ring->head + 1) % RING_SIZE;
    ring->fill--;
    return 1;
}

/* -------------------------------------------------------------- operations */

static int device_open(struct device *d)
{
    int error = 0;

    if (mutex_lock_interruptible(&d->settings.lock))
        return -EINTR;
    if (d->is_gone) {
        error = -ENODEV;
        goto out;
    }
    if (d->opened >= 4) {
        error = -EBUSY;
        goto out;
    }
    d->opened++;
out:
    mutex_unlock(&d->settings.lock);
    return error;
}

static void device_release(struct device *d)
{
    mutex_lock(&d->settings.lock);
    if (d->opened > 0)
        d->opened--;
    if (d->opened == 0) {
        mutex_lock(&d->ring.lock);
        ring_clear(&d->ring);
        mutex_unlock(&d->ring.lock);
    }
    mutex_unlock(&d->settings.lock);
}

static ssize_t device_read(struct device *d, unsigned char *to, size_t size)
{
    unsigned char local[RING_SIZE];
    size_t n = 0;

    if (mutex_lock_interruptible(&d->ring.lock))
        return -EINTR;
    while (n < size && n < RING_SIZE && ring_get(&d->ring, &local[n]))
        n++;
    if (n == 0) {
        mutex_unlock(&d->ring.lock);
        return -EAGAIN;
    }
    mutex_unlock(&d->ring.lock);
    if (copy_to_user(to, local, n))
        return -EFAULT;
    count_read(d, n);
    return (ssize_t)n;
}

static ssize_t device_write(struct device *d, const unsigned char *from, size_t size)
{
    unsigned char local[RING_SIZE];
    size_t wanted = size < RING_SIZE ? size : RING_SIZE, n = 0;

    if (copy_from_user(local, from, wanted))
        return -EFAULT;
    if (mutex_lock_interruptible(&d->ring.lock))
        return -EINTR;
    while (n < wanted && ring_put(&d->ring, local[n]))
        n++;
    if (n > 0)
        wake_up(&d->ring.readers);
    mutex_unlock(&d->ring.lock);
    count_written(d, n, wanted - n);
    return (ssize_t)n;
}

static long set_speed(struct device *d, unsigned speed)
{
    mutex_lock(&d->settings.lock);
    if (d->settings.is_frozen || speed == 0 || speed > 115200) {
#ifndef BUG
        mutex_unlock(&d->settings.lock);
#endif
        return -EINVAL;
    }
    d->settings.speed = speed;
    mutex_unlock(&d->settings.lock);
    return 0;
}

static long set_mode(struct device *d, unsigned mode)
{
    long error = 0;

    mutex_lock(&d->settings.lock);
    if (mode >= MODES) {
        error = -EINVAL;
    } else if (d->settings.mode != (enum mode)mode) {
        d->settings.mode = (enum mode)mode;
        mutex_lock(&d->ring.lock);
        ring_clear(&d->ring);
        mutex_unlock(&d->ring.lock);
    }
    mutex_unlock(&d->settings.lock);
    return error;
}

static long device_ioctl(struct device *d, unsigned command, unsigned argument)
{
    switch (command) {
    case SET_SPEED:
        return set_speed(d, argument);
    case GET_SPEED: {
        long speed;
        mutex_lock(&d->settings.lock);
        speed = d->settings.speed;
        mutex_unlock(&d->settings.lock);
        return speed;
    }
    case SET_MODE:
        return set_mode(d, argument);
    case RESET:
        count_reset(d);
        mutex_lock(&d->settings.lock);
        d->settings.speed = 9600;
        d->settings.is_frozen = 0;
        mutex_unlock(&d->settings.lock);
        return 0;
    case FLUSH:
        mutex_lock(&d->ring.lock);
        ring_clear(&d->ring);
        mutex_unlock(&d->ring.lock);
        return 0;
    default:
        return -ENOTTY;
    }
}

/* ------------------------------------------------- the kernel, in any order */

int main(void)
{
    unsigned char user[RING_SIZE];

    mutex_init(&device.settings.lock);
    mutex_init(&device.ring.lock);
    mutex_init(&device.counters.lock);
    while (nondet_int()) {
        switch (nondet_uint() % 5) {
        case 0:
            device_open(&device);
            break;
        case 1:
            device_release(&device);
            break;
        case 2:
            device_read(&device, user, nondet_uint());
            break;
        case 3:
            device_write(&device, user, nondet_uint());
            break;
        default:
            device_ioctl(&device, nondet_uint(), nondet_uint());
        }
    }
    return 0;
}
