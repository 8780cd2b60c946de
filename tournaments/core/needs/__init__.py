"""What a player needs in the last hanchan and in its last hand: exact, proved, never simulated. docs/adr/0060 tells how."""
