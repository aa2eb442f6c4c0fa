"""What tests of several folders share: histories, corpora, servers on this machine, scripted models."""
