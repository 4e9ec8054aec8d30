"""Trains the reader. Nothing here is needed to run the product; `README.md` says how to use it."""
