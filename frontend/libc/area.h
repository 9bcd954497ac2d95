/* The memory of the sources of regular expressions, after them: each part of an area is a block of its
   own. */
static area new_area(int provided, void *block) { return calloc(1, sizeof(struct tre_mem_struct)); }

static void *part_of_area(area all, int provided, void *block, int zero, size_t size) {
  tre_list_t *part = all->failed ? 0 : malloc(sizeof *part);
  void *data = part == 0 ? 0 : calloc(1, size);
  if (data == 0) {
    free(part);
    all->failed = 1;
    return 0;
  }
  *part = (tre_list_t){data, all->blocks};
  all->blocks = part;
  return data;
}

static void end_of_area(area all) {
  for (tre_list_t *part = all->blocks, *next; part != 0; part = next) {
    next = part->next;
    free(part->data);
    free(part);
  }
  free(all);
}
