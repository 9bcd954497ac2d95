"""IEEE 754 arithmetic: on numbers of the host, and as circuits over any algebra."""
