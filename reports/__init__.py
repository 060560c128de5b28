"""From rows to answers: SQL queries, statistics and rendering."""
