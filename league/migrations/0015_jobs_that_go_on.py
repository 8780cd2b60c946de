"""Jobs note when they were sent, imports how far undoing them is; days of play are worked out anew by a job."""

from django.db import migrations, models

KINDS = [
    ("rebuild", "Rebuild of the leaderboards"),
    ("impact", "Preview of a rule change"),
    ("rescore", "Scoring again under other rules"),
    ("check", "Check of a file"),
    ("import", "Import of a file"),
    ("days", "Days of play worked out anew"),
]


class Migration(migrations.Migration):
    dependencies = [("league", "0014_sent_forms")]

    operations = [
        migrations.AddField(model_name="importbatch", name="undoing", field=models.JSONField(null=True)),
        migrations.AddField(model_name="job", name="sent_at", field=models.DateTimeField(null=True)),
        migrations.AlterField(model_name="job", name="kind", field=models.CharField(choices=KINDS, max_length=10)),
    ]
