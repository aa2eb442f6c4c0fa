"""A corpus that follows its folders by itself; `asof watch`."""
