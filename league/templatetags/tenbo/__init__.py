"""What templates need to print numbers, dates and names as a league reads them: the library that they load.

Points come in as integers of 1/1000 pt and placements' counts in twelfths, as they are stored; nothing here calculates
a result.
"""

from django import template

from league.messages import negative_sign
from league.messages.sources import source_words
from league.templatetags.tenbo import days, names, numbers, pictures, places
from league.templatetags.tenbo.frame import lang_switch, may

register = template.Library()

FILTERS = (
    source_words,
    numbers.points,
    numbers.points_text,
    numbers.raw_score,
    numbers.raw_score_text,
    numbers.signed,
    numbers.gap,
    numbers.mean_points,
    numbers.mean_placement,
    numbers.mean,
    numbers.percent,
    numbers.times,
    numbers.rate,
    places.placement,
    places.rank_label,
    places.table_mark,
    places.wind_mark,
    places.place_chip,
    places.recent,
    places.rank_move,
    days.day,
    days.when,
    days.phase_tag,
    days.month_name,
    days.clock,
    days.moment,
    days.period_title,
    names.local_name,
)
TAGS = (negative_sign, days.this_month, pictures.icon, pictures.sparkline, pictures.placement_bar, pictures.podium_bar)
TAGS_WITH_CONTEXT = (lang_switch, may)

for filter_ in FILTERS:
    register.filter(filter_)
for tag in TAGS:
    register.simple_tag(tag)
for tag_with_context in TAGS_WITH_CONTEXT:
    register.simple_tag(takes_context=True)(tag_with_context)
