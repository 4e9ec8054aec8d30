"""The heart: nothing reaches a reader that the book does not carry."""
