"""Formats that are no plain text (office documents, mails, books), read in a process of its own."""
