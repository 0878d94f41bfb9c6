"""``python -m hailo_decode``: the same as the command ``hailo-decode``."""

from hailo_decode.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
