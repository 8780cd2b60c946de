from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0007_league_addresses_and_states"),
    ]

    operations = [
        migrations.AddField(
            model_name="session",
            name="strict_entry",
            field=models.BooleanField(blank=True, default=None, null=True, verbose_name="all scores are typed"),
        ),
    ]
