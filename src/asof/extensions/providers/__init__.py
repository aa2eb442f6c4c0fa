"""Models that asof.toml names: chat models, encoders and rerankers behind HTTP, or on this machine."""
