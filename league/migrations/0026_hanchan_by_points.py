"""How many hanchan of a version are known by their points alone is counted in an index of these."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0025_import_mendings'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name='hanchan',
            index=models.Index(condition=models.Q(('given', 'points')), fields=['ruleset_version'], name='hanchan_by_points'),
        ),
    ]
