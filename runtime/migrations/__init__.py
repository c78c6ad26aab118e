"""Moving stored records from one shape of their record type to the next (README)."""

from runtime.migrations.by_hand import HandRunner
from runtime.migrations.cancelling import Canceller
from runtime.migrations.hand_files import ByHand, read_folder
from runtime.migrations.keeper import Keeper, run_keeper
from runtime.migrations.notes import MigrationNotes, name_alike, name_of
from runtime.migrations.plan import Planned, plan_realm, plan_required, plan_states
from runtime.migrations.removing import Removal, Remover, plan_removals
from runtime.migrations.run import Runner

__all__ = [
    "ByHand", "Canceller", "HandRunner", "Keeper", "MigrationNotes", "Planned", "Removal", "Remover",
    "Runner", "name_alike", "name_of", "plan_realm", "plan_removals", "plan_required", "plan_states",
    "read_folder", "run_keeper",
]  # fmt: skip
