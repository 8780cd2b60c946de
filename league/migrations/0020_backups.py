"""Note which backups were made, and what became of them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0016_session_editions'),
    ]

    operations = [
        migrations.CreateModel(
            name='Backup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('begun_at', models.DateTimeField(auto_now_add=True, verbose_name='begun')),
                ('finished_at', models.DateTimeField(blank=True, null=True, verbose_name='finished')),
                ('file', models.CharField(max_length=500, verbose_name='file')),
                ('size', models.BigIntegerField(default=0, verbose_name='bytes')),
                ('digest', models.CharField(blank=True, max_length=64, verbose_name='checksum')),
                ('error', models.CharField(blank=True, max_length=500, verbose_name='what went wrong')),
            ],
            options={
                'verbose_name': 'backup',
                'verbose_name_plural': 'backups',
                'ordering': ('-pk',),
            },
        ),
    ]
