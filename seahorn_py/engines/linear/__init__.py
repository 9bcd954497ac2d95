"""Path edges and summary edges of linear programs; uses no other engine."""
