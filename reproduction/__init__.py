"""Every table and figure of the paper from one command: ``python -m reproduction all --data DIR``."""
