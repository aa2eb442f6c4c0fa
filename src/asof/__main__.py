"""`python -m asof` is `asof`."""

from asof.cli import main

if __name__ == "__main__":
    main()
