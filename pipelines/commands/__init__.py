"""The subcommands of `mancalab`, one a module. Heavy imports stay inside the functions."""
