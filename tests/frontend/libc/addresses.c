
int main(void) {
  struct in_addr a; char b[46]; unsigned char six[16];
  CHECK(inet_addr("127.0.0.1") == htonl(0x7f000001) && inet_addr("1.2.3") == htonl(0x01020003) && inet_addr("0x7f.1") == htonl(0x7f000001) && inet_addr("256.1.1.1") == INADDR_NONE && inet_addr("") == INADDR_NONE);
  CHECK(inet_aton("010.0.0.1", &a) && a.s_addr == htonl(0x08000001) && !inet_aton("1.2.3.4.5", &a) && !inet_aton("a", &a) && !inet_aton("99999999999999999999", &a));
  a.s_addr = htonl(0xc0a80102); CHECK(!strcmp(inet_ntoa(a), "192.168.1.2") && inet_network("1.2.3.4") == 0x01020304 && inet_netof(a) == 0xc0a801 && inet_lnaof(a) == 2 && inet_makeaddr(10, 1).s_addr == htonl(0x0a000001));
  CHECK(inet_pton(AF_INET, "1.2.3.4", &a) == 1 && a.s_addr == htonl(0x01020304) && inet_pton(AF_INET, "1.2.3", &a) == 0 && inet_pton(AF_INET, "01.2.3.4", &a) == 0); errno = 0; CHECK(inet_pton(99, "", &a) == -1 && errno == EAFNOSUPPORT);
  CHECK(inet_pton(AF_INET6, "2001:db8::1", six) == 1 && six[0] == 0x20 && six[15] == 1 && !strcmp(inet_ntop(AF_INET6, six, b, sizeof b), "2001:db8::1") && inet_pton(AF_INET6, "::ffff:1.2.3.4", six) == 1 && !strcmp(inet_ntop(AF_INET6, six, b, 46), "::ffff:1.2.3.4"));
  CHECK(!strcmp(inet_ntop(AF_INET, &a, b, 16) ? "x" : "y", "x") && inet_ntop(AF_INET, six, b, 4) == 0 && errno == ENOSPC && inet_pton(AF_INET6, "1::2::3", six) == 0);
  return 0;
}
