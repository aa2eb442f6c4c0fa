"""What facts and reports add to answers."""
