"""Craig interpolants from several solvers, all of them verified."""
