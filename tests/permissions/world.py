import re
from dataclasses import dataclass, field
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any
from uuid import uuid4

from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.models import Claim
from accounts.services.calendars import calendar_secret_of, renew_calendar_address
from accounts.services.invitations import WantedInvitation, invite
from accounts.services.notices import stop_code
from league.models import Hanchan, HeldPhoto, HeldResult, ImportBatch, Job, Photo
from league.services.calendar import adjust
from league.services.history import SYSTEM, Actor
from league.services.links import code_of
from league.services.people import PlayerFacts, link_user
from league.services.secret_links import renew_attendance_link, renew_live_address, secret_of
from league.services.session_points import enter_session_points
from stats.services.titles import create_title
from tests.league.entry_contexts import link_of
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play, settle, sums
from tests.permissions.routes import Route
from tests.tournaments.factories import draw_and_plan, make_tournament, play_stage
from tournaments.models import Decision, Registration, RegistrationTerms, TableCall
from tournaments.services.registering import nonce_of, register_newcomer
from tournaments.services.registration_terms import door_code, offer_registration, own_code, public_code
from tournaments.services.setup import make_director

PEOPLE = (
    "anonymous", "stranger", "player", "referee", "scorer", "director", "organiser", "owner", "organiser elsewhere", "superuser", "link holder",
)  # fmt: skip
ROLES = ("player", "referee", "scorer", "organiser", "owner")

FILE = "日付,選手,素点\n2025-11-21,青木,31700\n".encode()


@dataclass
class World:
    slug: str
    is_public: bool
    cookies: dict[str, str] = field(default_factory=dict)
    client: Client = field(default_factory=Client)

    def __post_init__(self) -> None:
        self.league = make_league(self.slug, is_public=self.is_public)
        self._play()
        self._direct()
        self._invite()
        settle()

    def _play(self) -> None:
        league = self.league
        players = make_players(league, 4)
        self.player = players[0]
        self.session = make_session(league)
        self.hanchan = play(self.session, players=players)
        self.adjustment = adjust(player=players[0], day=DAY, points=1000, reason="bonus", by=SYSTEM)
        values = {"name": "皆勤賞", "metric": "hanchan", "better": "high"}
        self.own_title = create_title(league=league, values=values, by=SYSTEM)
        (self.points,) = enter_session_points(session=self.session, lines=sums({players[0]: 0}, 4), by=SYSTEM)
        self.batch = ImportBatch.objects.create(league=league, file_name="2025.csv", data=FILE)
        facts = {"client_key": uuid4(), "typed": {}, "reason": "sum"}
        self.held = HeldResult.objects.create(league=league, session=self.session, table=1, **facts)
        HeldPhoto.objects.create(held=self.held, data=b"", width=100, height=100)
        self.tonight = make_session(league, league.day_of(timezone.now()))
        self.at_table = play(self.tonight, players=players)
        self.photo_at_table = self._photo(self.at_table)
        self.photo = self._photo(self.hanchan)
        self.job = Job.objects.create(league=league, kind=Job.Kind.REBUILD)

    def _photo(self, hanchan: Hanchan) -> Photo:
        return Photo.objects.create(hanchan=hanchan, data=b"", width=100, height=100, digest="0")

    def _direct(self) -> None:
        self.tournament = make_tournament(self.league, "elimination-4", players=16, key=f"{self.slug}-cup")
        self.stage = self.tournament.format.stages[0].key
        play_stage(self.tournament, self.stage)
        self.other_tournament = make_tournament(self.league, "swiss", key=f"{self.slug}-swiss")
        self.other_stage = self.other_tournament.format.stages[0].key
        draw_and_plan(self.other_tournament, self.other_stage)
        kind = Decision.Kind.ADVANCE
        self.decision = self.tournament.decisions.filter(kind=kind).first()
        if self.decision is None:
            self.decision = Decision.objects.create(tournament=self.tournament, kind=kind)

        RegistrationTerms.objects.create(tournament=self.tournament, places=16, audience="anyone")
        first = self.tournament.entries.order_by("number").select_related("player")[0]
        self.registration = Registration.objects.create(
            tournament=self.tournament, player=first.player, number=1, registered_at=timezone.now()
        )

        session = self.tournament.sessions.all()[0].session
        self.call = TableCall.objects.create(
            tournament=self.tournament, session=session, table=1, called_at=timezone.now()
        )

        opened = make_tournament(self.league, "swiss", players=8, key=f"{self.slug}-open")
        offered = RegistrationTerms(places=9, audience="anyone", check_in_from=timezone.now())
        self.open_terms = offer_registration(tournament=opened, offered=offered, by=SYSTEM)
        guest, nonce = PlayerFacts("Guest", is_guest=True), nonce_of(self.slug)
        self.own_registration = register_newcomer(tournament=opened, facts=guest, nonce=nonce, by=SYSTEM)

    def _invite(self) -> None:
        self.users = {"stranger": make_user(f"{self.slug}-stranger")}
        for role in ROLES:
            self.users[role] = make_user(f"{self.slug}-{role}", league=self.league, role=role)
        self.users["director"] = make_user(f"{self.slug}-director", league=self.league, role="player")
        directing = self.league.members.get(user=self.users["director"])
        self.director = make_director(tournament=self.tournament, membership=directing, by=SYSTEM)
        self.users["superuser"] = make_user(f"{self.slug}-root", is_superuser=True, is_staff=True)
        elsewhere = make_league(f"{self.slug}-elsewhere")
        self.users["organiser elsewhere"] = make_user(f"{self.slug}-else", league=elsewhere, role="organiser")
        self.member = self.league.members.get(user=self.users["player"])
        link_user(player=self.player, user=self.users["player"], by=SYSTEM)
        self.code = code_of(link_of(self.tonight))
        self.code_for_answers = secret_of(renew_attendance_link(session=self.tonight, by=SYSTEM))
        self.secret = secret_of(renew_live_address(league=self.league, by=SYSTEM))
        until = timezone.now() + timedelta(days=14)
        wanted, owner = WantedInvitation("player", until), Actor(self.users["owner"], "web")
        self.invitation = invite(league=self.league, wanted=wanted, by=owner)
        self.claim = Claim.objects.create(league=self.league, player=self.player, user=self.users["scorer"])
        self.calendar_secret = calendar_secret_of(renew_calendar_address(self.users["player"]))
        for person in PEOPLE:
            client = Client()
            if person in self.users:
                client.force_login(self.users[person])
            if person == "link holder":
                assert client.get(reverse("league:table", args=[self.code])).status_code == 200
            self.cookies[person] = client.cookies.output(header="", sep=";")

    def be(self, person: str) -> None:
        self.client.cookies = SimpleCookie(self.cookies[person])

    def _sent(self, method: str, address: str) -> list[dict[str, str]]:
        needed = method == "POST" and "/next-round/" in address
        return [{"block": self.tournament.format.stages[0].block_keys[0]}] if needed else []

    def ask(self, person: str, method: str, address: str) -> HttpResponseBase:
        self.be(person)
        with transaction.atomic():
            answer: HttpResponseBase = getattr(self.client, method.lower())(address, *self._sent(method, address))
            transaction.set_rollback(method not in {"GET", "HEAD"})
        if isinstance(answer, StreamingHttpResponse):
            answer.getvalue()
        return answer

    def _things(self) -> list[tuple[str, Any]]:
        return [
            (r"tournaments:entry_remove", self.tournament.entries.order_by("number").first()),
            (r"tournaments:(unlink|postpone)", self.tournament.sessions.order_by("pk").first()),
            (r"tournaments:director_remove", self.director),
            (r"tournaments:remote_call", self.call),
            (r"tournaments:registration_change", self.registration),
            (r"tournaments:keep", self.decision),
            (r"accounts:claim_", self.claim),
            (r"accounts:invitation", self.invitation),
            (r"stats:session_card", self.session),
            (r"stats:hanchan_card", self.hanchan),
            (r"stats:player|stats:rating_|league:player|accounts:claim", self.player),
            (r"league:rules", self.league.current_version),
            (r"league:adjustment", self.adjustment),
            (r"stats:own_title", self.own_title),
            (r"league:points_", self.points),
            (r"league:member_", self.member),
            (r"league:held", self.held),
            (r"league:job", self.job),
            (r"league:import_", self.batch),
            (r"league:table_links", self.session),
            (r"league:table_photo$", self.photo_at_table),
            (r"league:table_", self.at_table),
            (r"league:photo_add", self.hanchan),
            (r"league:photo", self.photo),
            (r"league:(attendance|session|enter|grid|print_|live_|secret_)|tournaments:ticker", self.session),
            (r"league:(hanchan|receipt|undo|confirm|correct|void|restore)", self.hanchan),
        ]

    def thing(self, name: str) -> Any:
        return next(thing for pattern, thing in self._things() if re.match(pattern, name))

    def given(self, route: Route) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for name in route.takes:
            given[name] = self.thing(route.name).pk if name == "pk" else self._values(route)[name]
        return given

    def _values(self, route: Route) -> dict[str, Any]:
        in_mail = route.name == "password_reset_confirm"
        user = self.users["stranger"]
        return {
            "slug": self.slug,
            "scope": "2025-11",
            "period": "2025-11",
            "key": "camarade" if route.name.startswith("league:") else self.tournament.key,
            "stage": self.stage,
            "token": default_token_generator.make_token(user) if in_mail else self._code_of(route.name),
            "uidb64": urlsafe_base64_encode(force_bytes(user.pk)),
            "object_id": str(self.league.pk),
            "secret": self.calendar_secret,
            "code": stop_code(user) if route.name == "accounts:notices_stop" else secret_of(self.invitation),
            "number": self.league.pk,
            "id": str(user.pk),
            "content_type_id": "1",
            "app_label": "league",
        }

    def _code_of(self, name: str) -> str:
        codes = {
            "league:attend": lambda: self.code_for_answers,
            "league:secret_board": lambda: self.secret,
            "league:secret_session": lambda: self.secret,
            "tournaments:register_by_link": lambda: public_code(self.open_terms),
            "tournaments:own_registration": lambda: own_code(self.own_registration),
            "tournaments:check_in": lambda: door_code(self.open_terms),
        }
        return codes[name]() if name in codes else self.code

    def address(self, route: Route, **other: Any) -> str:
        return reverse(route.name, kwargs=self.given(route) | other)
