"""The loop: propose, solve, verify, evaluate, and what to ask next."""
