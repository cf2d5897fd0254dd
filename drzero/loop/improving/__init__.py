"""Improving without training: examples, prompt variants, search and confidence, each learnt from what was verified."""
