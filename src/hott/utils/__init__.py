"""What every room uses: checks, wording, files written whole, progress, the cache, how work runs."""
