"""What an editor is told while C is written, over the Language Server Protocol."""
