"""Tables in memory: typed columns, texts without a Python object for each, and exchange with Arrow."""
