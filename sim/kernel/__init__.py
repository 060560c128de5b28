"""All that is compiled: the twin of the referee, and the games that run on it.

Everything jitted lives in this package, because its cache on disk is keyed by a hash of all
files in it (see `jit.py`): a file elsewhere would be edited without the cache noticing.
"""
