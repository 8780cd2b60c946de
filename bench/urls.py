"""The product's addresses, and the floors they are raced against: an empty answer and a bare insert of the facts."""

from django.urls import path

from bench import floors
from config.urls import urlpatterns as product

urlpatterns = [path("bench/empty", floors.empty), path("bench/facts", floors.insert_facts), *product]
