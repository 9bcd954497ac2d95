/* A house whose doors are opened and closed.  rule: door.yml; with -DBUG one stays open. */
struct door {
    int width;
};
extern void open_door(struct door *), close_door(struct door *);
extern int nondet_int(void);
static struct door front, back;

int main(void)
{
    open_door(&front);
    if (nondet_int()) {
        open_door(&back);
#ifndef BUG
        close_door(&back);
#endif
    }
    close_door(&front);
    return 0;
}
