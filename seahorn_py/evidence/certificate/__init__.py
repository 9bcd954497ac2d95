"""What a developer or a checker elsewhere needs: certificates, bug bundles."""
