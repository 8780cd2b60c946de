from league.admin import register_rest

register_rest("stats")
