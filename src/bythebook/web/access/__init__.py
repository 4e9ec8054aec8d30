"""Who may ask, and how much: keys, client addresses, limits, the budget of model tokens."""
