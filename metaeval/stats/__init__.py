"""Statistics on plain arrays; nothing here knows what is being measured."""
