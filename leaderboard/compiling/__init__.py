"""What trains a system before it is submitted: a build never does."""
