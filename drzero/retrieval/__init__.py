"""Indexes on disk and the search over them."""
