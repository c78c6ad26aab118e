"""Every shape on the wire that all record types share, once. Pure.

The runtime reads and answers by these classes; the generator describes them in the OpenAPI document.
"""
