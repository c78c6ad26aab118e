"""Backups of realms and tenants, and everything of a tenant: handing it over, erasing it."""

from runtime.backup.erasing import count_tenant, count_unfinished, erase_tenant, find_unfinished
from runtime.backup.manifest import Head, Manifest
from runtime.backup.marks import find_mark, list_marked
from runtime.backup.parts import Place, find_anything
from runtime.backup.problems import BackupProblem, NothingStored
from runtime.backup.restoring import abandon, open_archive, restore, verify_archive
from runtime.backup.sealing import read_key
from runtime.backup.taking import take_archive

__all__ = [
    "BackupProblem", "Head", "Manifest", "NothingStored", "Place", "abandon", "count_tenant",
    "count_unfinished", "erase_tenant", "find_anything", "find_mark", "find_unfinished", "list_marked",
    "open_archive", "read_key", "restore", "take_archive", "verify_archive",
]  # fmt: skip
