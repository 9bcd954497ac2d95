"""Contracts that engines, passes, domains and library models of other distributions are tested by.

    from seahorn_py.testing import EngineContract

    class TestMine(EngineContract):
        engine = Mine()

pytest collects the tests of the class.  Nothing here needs pytest.
"""

from __future__ import annotations

from seahorn_py.verification.kit.domain_contract import DomainContract
from seahorn_py.verification.kit.engine_contract import EngineContract
from seahorn_py.verification.kit.library_contract import LibraryModelContract
from seahorn_py.verification.kit.pass_contract import PassContract

__all__ = ["DomainContract", "EngineContract", "LibraryModelContract", "PassContract"]
