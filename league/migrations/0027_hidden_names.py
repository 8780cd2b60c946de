"""A name may be kept from everybody, members too."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0026_hanchan_by_points'),
    ]

    operations = [
        migrations.AlterField(
            model_name='player',
            name='visibility',
            field=models.CharField(choices=[('public', 'Everybody'), ('members', 'Members of the league'), ('nobody', 'Nobody: a number everywhere')], default='public', max_length=10, verbose_name='name shown to'),
        ),
        migrations.AddConstraint(
            model_name='player',
            constraint=models.CheckConstraint(condition=models.Q(('visibility__in', ('public', 'members', 'nobody'))), name='player_visibility_known'),
        ),
    ]
