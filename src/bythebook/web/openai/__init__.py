"""The book as a model that any OpenAI-compatible chat client can talk to."""
