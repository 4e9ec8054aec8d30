"""The book as tools for an agent, over the Model Context Protocol."""
