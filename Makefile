# The only commands anyone types: run, test, test-long, check, costs, audit, size, bench, torture, fmt, lock, clean.

PYTHON ?= python3
BIN = .venv/bin
HOST ?= 127.0.0.1
PORT ?= 8000
# The invented leagues and their known log-ins; DEMO=off begins with an empty site.
DEMO ?= on
# Where the embedded database and its key lie; the settings read it too.
VAR = $(or $(VAR_DIR),var)

# A site on one machine: embedded database, background work in the same process.
EMBEDDED = EMBEDDED=on DEMO=$(DEMO) ALLOWED_HOSTS='*'
# What one process has compiled the next ones read, and the tests start hundreds; whatever else the machine's habit is.
unexport PYTHONDONTWRITEBYTECODE
# Checks need settings but no servers.
PLAIN = DEBUG=on SECRET_KEY=only-for-checks
# No database: what is on this machine is none of its business.
PRODUCTION = VAR_DIR=var/none SECRET_KEY=$$($(PYTHON) -c 'import secrets; print(secrets.token_hex(32))') ALLOWED_HOSTS=tenbo.example
QUICK = $(addprefix tests/project/test_,catalogue.py files.py layers.py templates.py)
TEMPLATES = $$(find templates -name '*.html')

.PHONY: run test test-sqlite test-touched test-long long-postgresql long-sqlite long-bench check costs audit size bench torture fmt lock clean secret tools gettext

NETWORK = $$(hostname -I 2>/dev/null | cut -d' ' -f1 | grep . || ipconfig getifaddr en0 2>/dev/null || echo "this-computer")
SITE = http://$(if $(filter 0.0.0.0,$(HOST)),$(NETWORK),$(HOST)):$(PORT)
READY = Tenbo is at $(SITE)/ (English: $(SITE)/en/). Ctrl-C stops it.
FOR_PHONES = Only this computer can open that. For phones and others: make run HOST=0.0.0.0, then http://$(NETWORK):$(PORT)/
FIRST_ACCOUNT = $$($(EMBEDDED) $(BIN)/python manage.py first_account --site $(SITE))
run: .venv/ready secret
	@test -s "$(VAR)/tenbo.sqlite3" && echo "Checking the database in $(VAR)." || echo "Creating the database in $(VAR). This takes a few seconds."
	@$(EMBEDDED) $(BIN)/python manage.py migrate --verbosity 0
	@$(if $(filter off,$(DEMO)),,$(EMBEDDED) $(BIN)/python manage.py load_demo --if-empty)
	@echo "Starting the server."
	@exec env $(EMBEDDED) $(BIN)/python -m config.embedded --listen $(HOST):$(PORT) --ready "$(READY)" $(if $(filter 127.% localhost,$(HOST)),--ready "$(FOR_PHONES)") $(if $(filter off,$(DEMO)),--ready "$(FIRST_ACCOUNT)")

# What a change has to pass at the desk: the quick tests, and the coverage of the cores.
# A part: make test PYTEST="tests/scoring -x". More of it: make test TIERS=quick,merge,long BUDGET=full PYTEST=tests/scoring.
TIERS ?= quick
BUDGET ?= desk
SIDE_BY_SIDE = -n 2 --dist loadfile --no-loadscope-reorder
test: .venv/ready-dev tools
	BUDGET=$(BUDGET) $(BIN)/python -m pytest --tiers $(TIERS) $(or $(PYTEST),-q --cov $(SIDE_BY_SIDE) --durations=10)

# The engine of make run: what is marked for both databases once more.
SQLITE = DATABASE_URL=sqlite:///tenbo-tests.sqlite3 REDIS_URL=
test-sqlite: .venv/ready-dev tools
	$(SQLITE) $(BIN)/python -m pytest -q --tiers quick,merge -m both_databases $(SIDE_BY_SIDE) tests

# The long tests of what a change touches, up to a limit; since BASE=commit, origin/main or yesterday.
test-touched: .venv/ready-dev tools
	$(BIN)/python -m tests.touched

# Everything, for hours: both databases, every variant, every search in full. Some of it: make test-long PARTS="long-sqlite torture".
PARTS ?= long-postgresql long-sqlite long-bench torture
test-long: .venv/ready-dev tools
	@$(MAKE) --keep-going $(PARTS)
long-postgresql:
	BUDGET=full $(BIN)/python -m pytest -q $(SIDE_BY_SIDE) -p no:cacheprovider tests
# Random searches look for bugs in the code, in full on PostgreSQL; this part is about the engine.
long-sqlite:
	$(SQLITE) $(BIN)/python -m pytest -q $(SIDE_BY_SIDE) -p no:cacheprovider -m both_databases tests
long-bench:
	$(BIN)/python -m bench --size smallest --counts

# What each test costs: of those that are in no tier yet, or again of some: make costs TESTS=tests/scoring.
costs: .venv/ready-dev tools
	@$(BIN)/python -m tests.costs measure $(TESTS)

check: .venv/ready-dev gettext
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(PLAIN) $(BIN)/mypy .
	$(BIN)/djade --target-version 5.2 --check $(TEMPLATES)
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	$(PLAIN) $(BIN)/python manage.py makemigrations --check --dry-run
	$(PRODUCTION) $(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/python -m tests.costs check
	$(BIN)/python -m tests.size --static
	SERVICES=none $(BIN)/python -m pytest -q $(QUICK)

# Whether a pinned library is known to be vulnerable; says so where nobody can be asked, and fails only for a known hole.
audit: .venv/ready-dev
	@$(BIN)/python -m tests.audit

# How many lines, tables, triggers and settings there are, and how many files a result or a board enters; each may only shrink.
size: .venv/ready-dev
	@$(BIN)/python -m tests.size

bench: .venv/ready-dev
	$(BIN)/python -m bench $(BENCH)

# Kills, hangs and fills what Tenbo runs on while it is used. TORTURE="--only Redis" for a part.
TORTURE ?=
torture: .venv/ready-dev
	$(BIN)/python -m tests.torture $(TORTURE)

fmt: .venv/ready-dev
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/djade --target-version 5.2 $(TEMPLATES) || true

LOCK = $(BIN)/uv pip compile --quiet --upgrade --python-version 3.11 --generate-hashes --no-header --no-strip-extras --no-emit-index-url --no-emit-find-links
lock: .venv/ready-dev
	$(BIN)/pip install --quiet uv
	$(LOCK) requirements.in -o requirements.txt
	$(LOCK) requirements-dev.in -o requirements-dev.txt

clean:
	rm -rf .venv var staticfiles .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .import_linter_cache

PIP = $(BIN)/pip install --quiet --quiet --disable-pip-version-check --require-hashes -r
.venv/ready: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Tenbo needs Python 3.11 or newer; name one with: make PYTHON=python3.12 run"; exit 1; }
	@echo "Installing Python libraries into .venv. This happens once and takes about half a minute."
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || apt-get install -y -qq python3-venv >/dev/null 2>&1 || { echo "Python cannot make virtual environments; install: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv .venv
	@$(PIP) requirements.txt
	@touch $@

.venv/ready-dev: .venv/ready requirements-dev.txt
	@echo "Installing the libraries that tests and checks need, also once."
	@$(PIP) requirements-dev.txt
	@touch $@

secret:
	@mkdir -p "$(VAR)"
	@test -s "$(VAR)/secret" || (umask 077 && $(PYTHON) -c 'import secrets; print(secrets.token_hex(32))' > "$(VAR)/secret")

# gettext compares the catalogue with the sources; a browser looks at the pages. Both are brought when they are missing.
tools: .venv/ready-dev
	@$(BIN)/python -m tests.tools

gettext: .venv/ready-dev
	@$(BIN)/python -m tests.tools gettext
