from django.db import migrations
from django.db.models.functions import Length


def count_bytes(apps, schema_editor):
    """Note of each photo how long it is; the pictures themselves are not read."""
    photos = apps.get_model('league', 'Photo').objects.using(schema_editor.connection.alias)
    photos.filter(size=0).update(size=Length('data'))


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0033_photos_in_a_store'),
    ]

    operations = [migrations.RunPython(count_bytes, migrations.RunPython.noop)]
