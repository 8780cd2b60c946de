"""Forms that have done their work are noted, so that the same one sent again does nothing."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0013_revision_newest'),
    ]

    operations = [
        migrations.CreateModel(
            name='SentForm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('answer', models.TextField(blank=True)),
                ('sent_at', models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
            options={
                'verbose_name': 'sent form',
                'verbose_name_plural': 'sent forms',
                'ordering': ('-pk',),
                'constraints': [models.UniqueConstraint(fields=('digest',), name='sent_form_once')],
            },
        ),
    ]
