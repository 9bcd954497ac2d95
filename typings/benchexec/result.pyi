"""The names of results."""

RESULT_TRUE_PROP: str
RESULT_FALSE_PROP: str
RESULT_UNKNOWN: str
RESULT_ERROR: str
