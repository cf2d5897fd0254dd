"""Episodes as data to train and to measure models: lines, their split by source, and the card that tells of them."""
