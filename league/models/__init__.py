"""Facts of a league with their constraints, and the boards derived from them."""

from league.models.attendance import Attendance, AttendanceLink
from league.models.boards import Board, StalePeriod, Standing
from league.models.editions import Edition
from league.models.leagues import FormerAddress, League, LeagueOffer, Membership, Ruleset, RulesetVersion
from league.models.plans import Adjustment, PlannedSeat, SessionPoints
from league.models.play import Hanchan, Incident, Seat, Session
from league.models.players import Player, PlayerAlias
from league.models.records import ImportBatch, Job, Revision
from league.models.results import Confirmation, HeldPhoto, HeldResult, Photo
from league.models.secret_links import LiveAddress, TableLink
from league.models.upkeep import Attempts, SentForm, SignOfLife
