"""An answer as a command hands it on: printed, as JSON, as exhibits."""
