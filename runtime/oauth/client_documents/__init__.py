"""Clients whose client id is the URL of a document about them (OAuth Client ID Metadata Document)."""

from runtime.oauth.client_documents.documents import ClientDocuments
from runtime.oauth.client_documents.fetching import Fetcher

__all__ = ["ClientDocuments", "Fetcher"]
