"""Boolean programs after SLAM and RocketScience: abstraction, BDD reachability, refinement."""
