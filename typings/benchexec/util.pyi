"""How a run ended."""

class ProcessExitCode:
    @property
    def value(self) -> int | None: ...
    @property
    def signal(self) -> int | None: ...
