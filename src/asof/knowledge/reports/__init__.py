"""Reports of periods: claims, how their figures changed since the period before, the choice among them."""
