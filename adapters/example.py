"""What the tests ask of the example notes."""

QUESTION = "who is the harbour master"
