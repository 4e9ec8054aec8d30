"""What an operator needs besides answers: signs of life, figures, logs, traces, a fresh index."""
