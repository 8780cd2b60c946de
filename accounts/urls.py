"""Addresses of what is somebody's own."""

from django.urls import URLPattern

app_name = "accounts"

urlpatterns: list[URLPattern] = []
