"""Note which backups were made, and what became of them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0017_slender_indexes'),
    ]

    operations = [
        migrations.CreateModel(
            name='Backup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('begun_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('file', models.CharField(max_length=500)),
                ('size', models.BigIntegerField(default=0)),
                ('digest', models.CharField(blank=True, max_length=64)),
                ('error', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'ordering': ('-pk',),
            },
        ),
    ]
