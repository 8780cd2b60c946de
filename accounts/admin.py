from league.admin.reading import register_rest

register_rest("accounts")
