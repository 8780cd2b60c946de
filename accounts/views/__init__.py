"""The pages of an account, one module each."""
