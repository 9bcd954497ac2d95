/* A thermometer: a character device without main, whose operations the kernel calls.
 *
 * rule: linux-mutex, with --drive device_operations
 * With -DBUG an operation that is refused leaves the mutex locked.
 */
struct file {
    int flags;
    void *private_data;
};

struct mutex {
    int count;
};

struct file_operations {
    int (*open)(struct file *file);
    long (*read)(struct file *file, int *to, unsigned long size);
    int (*release)(struct file *file);
};

extern void mutex_lock(struct mutex *lock);
extern void mutex_unlock(struct mutex *lock);
extern int sensor_value(void);

#define EBUSY 16
#define EINVAL 22
#define MOST_USERS 4

static struct mutex lock;
static int users, last;

static int device_open(struct file *file)
{
    int error = 0;

    mutex_lock(&lock);
    if (users >= MOST_USERS)
        error = -EBUSY;
    else
        users++;
    mutex_unlock(&lock);
    return error;
}

static long device_read(struct file *file, int *to, unsigned long size)
{
    if (!to || size == 0)
        return -EINVAL;
    mutex_lock(&lock);
    if (users == 0) {
#ifndef BUG
        mutex_unlock(&lock);
#endif
        return -EINVAL;
    }
    last = sensor_value();
    to[0] = last;
    mutex_unlock(&lock);
    return 1;
}

static int device_release(struct file *file)
{
    mutex_lock(&lock);
    if (users > 0)
        users--;
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations device_operations = {
    .open = device_open,
    .read = device_read,
    .release = device_release,
};
