"""Questions that take several runs of all steps: properties, rules of use, a temporal formula."""
