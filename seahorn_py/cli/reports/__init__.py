"""An answer in the formats of other tools."""
