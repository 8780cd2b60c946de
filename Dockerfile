# One image for web, worker and beat; compose.yaml says which is which.
FROM python:3.11-slim-trixie AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app
RUN python -m venv /venv
COPY requirements.txt .
RUN /venv/bin/pip install --require-hashes -r requirements.txt

FROM python:3.11-slim-trixie
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
# Pango draws the text of PDF files; without it the pages are printed by the browser. Backups are made by pg_dump. Security updates come with a build.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 postgresql-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --uid 10001 tenbo
WORKDIR /app
COPY --from=build /venv /venv
COPY . .
# Files under names that tell their content. The key signs nothing and stays in this one step.
RUN SECRET_KEY=only-for-collecting-files-never-for-signing python manage.py collectstatic --noinput \
    && install -d -o tenbo var /backups
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--workers", "3", "--threads", "4", "--worker-tmp-dir", "/dev/shm", "--access-logfile", "-", "--logger-class", "config.logs.QuietLogger"]
