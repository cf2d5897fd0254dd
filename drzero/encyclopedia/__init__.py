"""Entries of the knowledge base gathered into the articles of an encyclopedia, and written in formats people use."""
