from django.db import migrations, models


class Migration(migrations.Migration):
    """Tournaments that are there go on as the settings of their leagues say; new ones are strict."""

    dependencies = [
        ("tournaments", "0002_stage_rules"),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="strict_entry",
            field=models.BooleanField(default=False, verbose_name="all scores are typed"),
        ),
        migrations.AlterField(
            model_name="tournament",
            name="strict_entry",
            field=models.BooleanField(default=True, verbose_name="all scores are typed"),
        ),
    ]
