"""What is told of a period: claims, their figures beside the period before, the choice among them."""
