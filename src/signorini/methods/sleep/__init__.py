"""Sleep: bodies that have come to rest stand still, and cost next to nothing, until something moves them."""
