
int main(void) {
  char *v[] = {"p", "--name=x", "-v", "rest", "--level", "3", "--verb", 0}; int flag = 0, index = -1;
  struct option o[] = {{"name", required_argument, 0, 'n'}, {"level", required_argument, 0, 'l'}, {"verbose", no_argument, &flag, 5}, {0, 0, 0, 0}};
  opterr = 0;
  CHECK(getopt_long(7, v, "v", o, &index) == 'n' && index == 0 && !strcmp(optarg, "x") && getopt_long(7, v, "v", o, &index) == 'v');
  CHECK(getopt_long(7, v, "v", o, &index) == 'l' && !strcmp(optarg, "3") && getopt_long(7, v, "v", o, 0) == 0 && flag == 5 && getopt_long(7, v, "v", o, 0) == -1 && optind == 6 && !strcmp(v[6], "rest"));
  char *w[] = {"p", "--no", "-q", 0}; optind = 1; CHECK(getopt_long(3, w, "v", o, 0) == '?' && getopt_long(3, w, "v", o, 0) == '?' && optopt == 'q');
  char *u[] = {"p", "-name", "z", 0}; optind = 1; CHECK(getopt_long_only(3, u, "v", o, 0) == 'n' && !strcmp(optarg, "z"));
  return 0;
}
