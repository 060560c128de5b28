"""The games and the players: rules, referee, compiled kernel."""
