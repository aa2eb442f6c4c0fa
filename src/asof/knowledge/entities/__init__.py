"""Which names mean the same: by what is stated anywhere, and by surname inside one document."""
