"""From an archive to articles, sections and chunks."""

EXTRACTION_VERSION = 3
"""Counts up whenever the extracted text changes: an index made with another version is built anew."""
