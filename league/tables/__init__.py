"""Tables as pages and downloads print them."""
