"""Models on this machine: fetching, finding, embedding, writing. Importing this package loads no heavy library."""
