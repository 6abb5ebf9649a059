"""Texts cut into words, and what is special to each language."""
