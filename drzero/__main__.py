"""`python -m drzero`."""

from drzero.cli import main

if __name__ == "__main__":
    main()
