"""What ends a backup, a restore or an erasure, for the operator who runs it."""


class BackupProblem(Exception):
    """Abstract: ``code`` is stable, the message says what to do. ``is_usage``: the command line is wrong."""

    code = "backup.failed"
    is_usage = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Unreadable(BackupProblem):
    """A file that the command names is missing, or may not be read."""

    code = "backup.unreadable"
    is_usage = True


class Damaged(BackupProblem):
    """The file is not what was written: cut off, changed, or sealed with another key."""

    code = "backup.damaged"


class CutOff(Damaged):
    """The end is missing."""

    def __init__(self) -> None:
        super().__init__("the backup is cut off: its end is missing")


class KeyUnusable(BackupProblem):
    """The key file is too short or readable by others."""

    code = "backup.key"


class InTheWay(BackupProblem):
    """Records, a file or another restore are where something would be written."""

    code = "backup.in_the_way"


class Unwritable(BackupProblem):
    """The file cannot be written: its folder is missing, or the disk is full."""

    code = "backup.unwritable"


class Unfit(BackupProblem):
    """The backup is whole and does not belong here."""

    code = "backup.unfit"


class NothingStored(BackupProblem):
    """The realm holds nothing of the tenant that is named."""

    code = "tenant.unknown"
    is_usage = True


class Interrupted(BackupProblem):
    """A restore that did not end; the realm, or the tenant, stays marked."""

    code = "backup.interrupted"


class Remaining(BackupProblem):
    """Records were written again while they were erased."""

    code = "tenants.remaining"
