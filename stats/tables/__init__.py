"""Statistics as pages print them."""
