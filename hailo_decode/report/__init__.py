"""Pages and tables about results."""
