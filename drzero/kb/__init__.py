"""The knowledge base: plain SQLite with claims, citations, episodes and runs."""
