from tournaments.models.hall import HallDisplay, TableCall, Tick
from tournaments.models.registrations import Registration, RegistrationTerms
from tournaments.models.tournaments import Decision, DecisionQuerySet, Director, Entry, StageSession, Tournament
