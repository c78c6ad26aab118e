"""``expand``: records embedded in place of the references to them."""

from runtime.records.expansion.planning import Embedding, plan_embeddings, plan_paths, show_expanded
from runtime.records.expansion.replacing import embed_records

__all__ = ["Embedding", "embed_records", "plan_embeddings", "plan_paths", "show_expanded"]
