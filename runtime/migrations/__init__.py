"""Moving stored records from one shape of their record type to the next (README)."""

from runtime.migrations.by_hand import HandRunner
from runtime.migrations.cancelling import Canceller
from runtime.migrations.hand_files import ByHand, read_folder
from runtime.migrations.keeper import Keeper, run_keeper
from runtime.migrations.notes import name_alike, name_of, read_workers
from runtime.migrations.notes import read_all as list_migrations
from runtime.migrations.plan import Planned, plan_realm, plan_states
from runtime.migrations.removing import Removal, Remover, plan_removals
from runtime.migrations.run import Runner

__all__ = [
    "ByHand", "Canceller", "HandRunner", "Keeper", "Planned", "Removal", "Remover", "Runner",
    "list_migrations", "name_alike", "name_of", "plan_realm", "plan_removals", "plan_states", "read_folder",
    "read_workers", "run_keeper",
]  # fmt: skip
