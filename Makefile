# The only commands anyone types: run, test, check, bench, fmt, lock, clean.

PYTHON ?= python3
BIN = .venv/bin
HOST ?= 127.0.0.1
PORT ?= 8000

# A site on one machine: embedded database, background work in the same process, known log-ins.
EMBEDDED = DEBUG=on DEMO=on SECRET_KEY=$$(cat var/secret) ALLOWED_HOSTS='*'
# Checks need settings but no servers.
PLAIN = DEBUG=on SECRET_KEY=only-for-checks

.PHONY: run test check bench fmt lock clean tools

run: .venv/ready var/secret
	@$(EMBEDDED) $(BIN)/python manage.py migrate --verbosity 0
	@$(EMBEDDED) $(BIN)/python manage.py load_demo --if-empty
	@echo "Tenbo is at http://$(HOST):$(PORT)/ (English: http://$(HOST):$(PORT)/en/). Ctrl-C stops it."
	@$(EMBEDDED) $(BIN)/gunicorn config.wsgi --bind $(HOST):$(PORT) --threads 8 --log-level warning

test: .venv/ready-dev tools
	$(BIN)/python -m pytest --cov $(PYTEST)

check: .venv/ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(PLAIN) $(BIN)/mypy .
	$(BIN)/djade --check $$(git ls-files 'templates/*.html')
	$(BIN)/djlint --quiet --lint templates
	$(PLAIN) $(BIN)/python manage.py makemigrations --check --dry-run
	DEBUG=off SECRET_KEY=$$(openssl rand -hex 32) ALLOWED_HOSTS=tenbo.example $(BIN)/python manage.py check --deploy --fail-level WARNING
	$(PLAIN) $(BIN)/python -m pytest -p no:tests.services -p no:cacheprovider -q tests/house/test_catalogue.py tests/house/test_files.py

bench: .venv/ready-dev
	$(BIN)/python -m bench $(BENCH)

fmt: .venv/ready-dev
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/djade $$(git ls-files 'templates/*.html') || true

lock: .venv/ready-dev
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile -q --upgrade --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header requirements.in -o requirements.txt
	$(BIN)/uv pip compile -q --upgrade --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header requirements-dev.in -o requirements-dev.txt

clean:
	rm -rf .venv var staticfiles .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .import_linter_cache

.venv/ready: requirements.txt
	@$(PYTHON) -m venv .venv || { echo "Python cannot make a virtual environment; install it with: apt-get install python3-venv"; exit 1; }
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

.venv/ready-dev: .venv/ready requirements-dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

var/secret:
	@mkdir -p var
	@$(PYTHON) -c 'import secrets; print(secrets.token_hex(32))' > $@
	@chmod 600 $@

# gettext compares the catalogue with the sources; a browser looks at the pages. Both are brought when they are missing.
tools: .venv/ready-dev
	@$(BIN)/python -m tests.tools
