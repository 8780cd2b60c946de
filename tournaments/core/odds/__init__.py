"""How likely somebody is to reach a goal in the last hanchan: estimates that are exact sums, without chance.

Who is stronger is a number by player; an order of the table then has the chance that Plackett and Luce give it. What its places
bring is taken from a bank of real hanchan. These are estimates: what is certain is in `needs`.
"""
