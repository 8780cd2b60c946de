"""How people want Tenbo to look and to speak is kept with their accounts."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ('accounts', '0001_invitations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Preferences",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("called", models.CharField(blank=True, max_length=40, verbose_name="how you are called")),
                (
                    "language",
                    models.CharField(
                        blank=True,
                        choices=[("ja", "日本語"), ("en", "English")],
                        max_length=10,
                        verbose_name="language",
                    ),
                ),
                (
                    "sign",
                    models.CharField(
                        blank=True,
                        choices=[("triangle", "▲12.3"), ("minus", "−12.3")],
                        max_length=10,
                        verbose_name="negative numbers",
                    ),
                ),
                (
                    "theme",
                    models.CharField(
                        blank=True,
                        choices=[("light", "Light"), ("dark", "Dark")],
                        max_length=10,
                        verbose_name="colours",
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="preferences",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={"verbose_name": "preferences", "verbose_name_plural": "preferences"},
        ),
    ]
