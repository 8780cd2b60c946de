"""Addresses of what is somebody's own."""

from django.urls import path

from accounts.views import account, leaving, my_page, own_data

app_name = "accounts"

urlpatterns = [
    path("me/", my_page.me, name="me"),
    path("account/", account.account, name="account"),
    path("account/data/", own_data.own_data, name="own_data"),
    path("account/delete/", leaving.delete, name="delete"),
]
