"""A game in the terminal: drawn, told, and played by people and players.

- `board`: the picture of a position, with the last move's path in it;
- `game`: the referee's game and the players' sitting, in step;
- `words`: what is said about it;
- `screen`: lines out and in, in colour or not;
- `person`: what a person may type, and what is done about it;
- `bout`: the whole, from the first board to the last line.
"""
