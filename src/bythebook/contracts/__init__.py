"""The five published data models, one module each, built from the engine's outcome."""
