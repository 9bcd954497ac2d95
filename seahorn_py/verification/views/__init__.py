"""Programs and Horn systems as people look at them."""
