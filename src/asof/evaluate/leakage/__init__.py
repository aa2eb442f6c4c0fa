"""Checks that nothing later is seen in results and in knowledge."""
