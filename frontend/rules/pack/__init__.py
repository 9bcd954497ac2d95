"""The rules that come with the program, each a YAML file that is its page as well."""
