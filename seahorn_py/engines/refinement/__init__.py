"""What `cegar`, `impact` and `boolean` share: predicates, derivations, refinement."""
