"""`python -m gauss` is the command line `gauss`."""

from gauss_command import main

if __name__ == "__main__":
    main()
