"""`python -m gauss` is the command line `gauss`."""

from gauss.cli import main

if __name__ == "__main__":
    main()
