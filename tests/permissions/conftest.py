from tests.conftest import built_once
from tests.permissions.world import World


@built_once()
def worlds() -> dict[str, World]:
    return {slug: World(slug, is_public=slug == "public") for slug in ("public", "private")}
