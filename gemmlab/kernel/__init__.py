"""The nouns: a kernel's launch, what it may take, what it came to. No file is read here and no process started."""
