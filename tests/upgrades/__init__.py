"""Sites as they were at earlier versions, each with its exports as that version wrote them: CONTRIBUTING.md has the recipe."""
