/* Addresses of the network as text (POSIX, arpa/inet.h): the sources of the library. */
#include "shim.h"
#define __inet_aton address_in
#define inet_pton address_read
#define inet_ntop address_shown
struct in_addr;
static int address_in(const char *, struct in_addr *);
static int address_read(int, const char *restrict, void *restrict);
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <errno.h>
#include <sys/socket.h>
#include <netinet/in.h>
static const char *address_shown(int, const void *restrict, char *restrict, socklen_t);
#include <arpa/inet.h>
#include "text.h"
#undef inet_pton
#undef inet_ntop

UNKNOWN(rest_is_unknown, "inet_aton");
UNKNOWN(form_is_unknown, "inet_ntop");
UNKNOWN(parts_are_unknown, "inet_network");
ANY(_Bool, is_touched, "inet_pton");
void any_address(void *, size_t) __asm__("sea.any.inet_pton.address");
void claim_writable(void *, size_t) __asm__("sea.claim.writable");

static size_t span_of(const char *text, const char *set) {
  size_t n = 0;
  while (text[n] != 0 && place_of(set, text[n]) != 0) n++;
  return n;
}

/* A number in C's notation; its end is its begin if there is none or it does not fit. */
static unsigned long number_in(const char *text, char **end, int any_base) {
  unsigned long value = 0, base = *text != '0' ? 10 : (text[1] | 32) == 'x' ? 16 : 8;
  const char *at = base == 16 ? text + 2 : text, *first = at;
  for (;; at++) {
    unsigned digit = (unsigned)*at - '0';
    if (digit > 9) digit = ((unsigned)*at | 32) - 'a' < 6 ? ((unsigned)*at | 32) - 'a' + 10 : 16;
    if (digit >= base) break;
    if (value > (~0ul - digit) / base) {
      *end = (char *)text;
      return 0;
    }
    value = value * base + digit;
  }
  *end = (char *)(at == first ? text : at);
  return value;
}

/* The conversions `%d` and `%x` of numbers that are not negative. */
static int shown(char *target, size_t size, const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  size_t n = 0;
  for (; *format != 0; format++) {
    char digits[12];
    int count = 0;
    if (*format == '%') {
      unsigned base = *++format == 'x' ? 16 : 10, value = __builtin_va_arg(arguments, unsigned);
      do digits[count++] = "0123456789abcdef"[value % base];
      while ((value /= base) != 0);
    } else {
      digits[count++] = *format;
    }
    while (count-- > 0) {
      if (n + 1 < size) target[n] = digits[count];
      n++;
    }
  }
  __builtin_va_end(arguments);
  if (size > 0) target[n < size ? n : size - 1] = 0;
  return (int)n;
}

#define strtoul number_in
#define strspn span_of
#define snprintf shown
#define inet_pton address_read
#define inet_ntop address_shown
#include "network/inet_aton.c"
#include "network/inet_pton.c"
#include "network/inet_ntop.c"
#undef inet_pton
#undef inet_ntop

/* White space may follow an address, and anything that follows that. */
int inet_aton(const char *text, struct in_addr *target) {
  struct in_addr found;
  int result = address_in(text, &found);
  if (result != 0) *target = found;
  const char *at = text;
  while (*at != 0 && *at != ' ' && !((unsigned char)*at - '\t' < 5u)) at++;
  if (*at != 0 && at != text) rest_is_unknown();
  return result;
}

/* Where there is no address, something may be written. */
int inet_pton(int family, const char *restrict text, void *restrict target) {
  unsigned char found[16];
  size_t size = family == AF_INET ? 4 : 16;
  int result = address_read(family, text, found);
  if (result == 1) memcpy(target, found, size);
  if (result == 0 && is_touched()) any_address(target, size);
  return result;
}

/* The last 32 bits may be written as an address of their own. */
const char *inet_ntop(int family, const void *restrict address, char *restrict target,
                      socklen_t size) {
  static const unsigned char none[12];
  const unsigned char *bytes = address;
  if (family == AF_INET6 && memcmp(bytes, none, 12) == 0 && (bytes[12] | bytes[13]) != 0)
    form_is_unknown();
  return address_shown(family, address, target, size);
}

in_addr_t inet_addr(const char *text) {
  struct in_addr found;
  return inet_aton(text, &found) ? found.s_addr : (in_addr_t)-1;
}

static in_addr_t turned(in_addr_t x) { return __builtin_bswap32(x); }

/* Libraries take fewer than four parts for the first or for the last ones of an address. */
in_addr_t inet_network(const char *text) {
  int dots = 0;
  for (const char *at = text; *at != 0; at++) dots += *at == '.';
  if (dots < 3) parts_are_unknown();
  return turned(inet_addr(text));
}

/* The number of a network has as many bits as its class has; the library takes the bytes of these in
   the order of the machine. */
static int host_bits(in_addr_t address) {
  return address >> 24 < 128 ? 24 : address >> 24 < 192 ? 16 : 8;
}

struct in_addr inet_makeaddr(in_addr_t network, in_addr_t host) {
  int shift = network < 128 ? 24 : network < 65536 ? 16 : network < 1u << 24 ? 8 : 0;
  in_addr_t mask = shift == 0 ? 0 : (1u << shift) - 1;
  return (struct in_addr){turned(network << shift | (shift == 0 ? host : host & mask))};
}

in_addr_t inet_lnaof(struct in_addr address) {
  in_addr_t all = turned(address.s_addr);
  return all & ((1u << host_bits(all)) - 1);
}

in_addr_t inet_netof(struct in_addr address) {
  in_addr_t all = turned(address.s_addr);
  return all >> host_bits(all);
}

#include "network/inet_ntoa.c"
