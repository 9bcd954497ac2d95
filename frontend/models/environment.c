/* The environment (C17, 7.22.4.6; POSIX): a value for each name, which stays until the program changes
   it.  A few changes are followed, of short names and values; of others nothing is known. */
#include "model.h"

ANY(_Bool, is_set, "setenv");
ANY(_Bool, any_getenv, "getenv");
ANY(unsigned, any_length, "getenv");
ANY_BYTES(any_value, "getenv");
UNKNOWN(value_is_unknown, "getenv");
USES(changes_environment, "setenv.unsetenv.putenv.clearenv.environ.__environ");
USES(refers_to_array, "environ.__environ");

/* Linux bounds the length (execve(2)). */
enum { NAMES = 8, VALUES = 1 << 17, CHANGES = 4, ROOM = 64 };

static char value_0[VALUES], value_1[VALUES], value_2[VALUES], value_3[VALUES], value_4[VALUES],
    value_5[VALUES], value_6[VALUES], value_7[VALUES], another[VALUES];
static char *const values[NAMES + 1] = {value_0, value_1, value_2, value_3, value_4,
                                        value_5, value_6, value_7, another};
static char *value_of[NAMES];
static _Bool is_known[NAMES], another_was_asked;

/* The area is filled also where there is no value, so that its contents are the same on all ways. */
static char *value_in(char *area) {
  size_t size = text_size(any_length(), VALUES);
  char *value = area + (VALUES - 1 - size);
  any_value(value, size);
  area[VALUES - 1] = 0;
  return any_getenv() ? value : NULL;
}

/* ------------------------------------------------------------------------------------ changes */

/* What the program set: a copy of name and value, or a string of its own, from putenv. */
struct change {
  _Bool is_there;
  char *own;
  char name[ROOM], value[ROOM];
};

static struct change changes[CHANGES];
static unsigned changed;
static char *changed_value;
static _Bool is_cleared, is_lost;

/* Whether a text begins with the name, and ends there or with `=`. */
static _Bool has_name(const char *text, const char *name) {
  size_t i = 0;
  while (name[i] != 0 && text[i] == name[i]) i++;
  return name[i] == 0 && (text[i] == 0 || text[i] == '=');
}

static struct change *change_of(const char *name) {
  for (unsigned k = 0; k < changed; k++)
    if (has_name(changes[k].own != NULL ? changes[k].own : changes[k].name, name)) return &changes[k];
  return NULL;
}

static char *value_behind(char *text) {
  while (*text != 0 && *text != '=') text++;
  return *text == 0 ? NULL : text + 1;
}

static _Bool copied(char *target, const char *source) {
  for (size_t i = 0; i < ROOM; i++) {
    target[i] = source[i];
    if (source[i] == 0) return 1;
  }
  return 0;
}

/* Note a change; `value` is null where the name has none any more. */
static void change(const char *name, const char *value) {
  struct change *found = change_of(name);
  if (found == NULL && changed < CHANGES) found = &changes[changed++];
  if (found == NULL || !copied(found->name, name) || (value != NULL && !copied(found->value, value)))
    is_lost = 1;
  else
    found->own = NULL, found->is_there = value != NULL;
}

/* Whether the program has changed what the name stands for; `changed_value` is its value then. */
static _Bool has_changed(const char *name) {
  if (!changes_environment()) return 0;
  if (is_lost || (refers_to_array() && (changed > 0 || is_cleared))) {
    value_is_unknown();
    changed_value = value_in(values[NAMES]);
    return 1;
  }
  struct change *found = change_of(name);
  changed_value = NULL;
  if (found != NULL && found->is_there) changed_value = found->own != NULL ? value_behind(found->own) : found->value;
  return found != NULL || is_cleared;
}

/* The value of the k-th name that stands in the program's text, as a literal: the same at each call. */
char *environment(const char *name, unsigned k) __asm__("sea.environment");
char *environment(const char *name, unsigned k) {
  if (has_changed(name)) return changed_value;
  if (k < NAMES && is_known[k]) return value_of[k];
  if (another_was_asked || k >= NAMES) value_is_unknown();
  if (k >= NAMES) return value_in(values[NAMES]);
  is_known[k] = 1;
  return value_of[k] = value_in(values[k]);
}

/* The value of any other name, which may have been asked for before. */
static char *another_value(const char *name) {
  claim_text(name);
  if (has_changed(name)) return changed_value;
  _Bool asked = another_was_asked;
  for (unsigned k = 0; k < NAMES; k++) asked |= is_known[k];
  if (asked) value_is_unknown();
  another_was_asked = 1;
  return value_in(values[NAMES]);
}

char *getenv(const char *name) { return another_value(name); }
char *secure_getenv(const char *name) { return another_value(name); }

static _Bool is_name(const char *text) {
  if (*text == 0) return 0;
  while (*text != 0 && *text != '=') text++;
  return *text == 0;
}

/* Whether a name of the system's environment has a value is not known here. */
int setenv(const char *name, const char *value, int overwrite) {
  claim_text(value);
  if (!is_name(name)) return failed(EINVAL, -1);
  if (!is_set()) return failed(ENOMEM, -1);
  struct change *found = change_of(name);
  if (overwrite != 0 || (found != NULL && !found->is_there) || (found == NULL && is_cleared))
    change(name, value);
  else if (found == NULL)
    is_lost = 1;
  return 0;
}

int unsetenv(const char *name) {
  if (!is_name(name)) return failed(EINVAL, -1);
  change(name, NULL);
  return 0;
}

/* The string is part of the environment from here on.  GNU's library takes a name without a value out,
   others may not. */
int putenv(char *text) {
  claim_text(text);
  if (!is_set()) return failed(ENOMEM, -1);
  char name[ROOM];
  size_t i = 0;
  for (; i < ROOM && text[i] != 0 && text[i] != '='; i++) name[i] = text[i];
  if (i == 0 || i == ROOM || text[i] == 0) {
    is_lost = 1;
    return 0;
  }
  name[i] = 0;
  change(name, "");
  struct change *found = change_of(name);
  if (found != NULL) found->own = text;
  return 0;
}

int clearenv(void) {
  changed = 0;
  is_cleared = 1;
  is_lost = 0;
  return 0;
}
