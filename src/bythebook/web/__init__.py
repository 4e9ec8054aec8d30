"""The service: HTTP around the one door."""
