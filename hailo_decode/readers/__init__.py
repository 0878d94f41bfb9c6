"""One file a buffer order: from bytes as they came to where each element lies."""
