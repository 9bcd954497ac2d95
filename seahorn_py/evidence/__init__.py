"""What makes an answer believable: runs, replay, re-proof."""
