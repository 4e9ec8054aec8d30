# The service in a container. `docs/deploy.md` shows how it is used.
#
#     docker build -t bythebook .
#     docker run --rm -v ./book:/book:ro -v bythebook:/data bythebook index /book
#     docker run -p 127.0.0.1:8000:8000 -v bythebook:/data bythebook

FROM python:3.11-slim AS build

WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/bythebook \
    && /opt/bythebook/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
        -c constraints.txt '.[all]'


FROM python:3.11-slim

# It needs no rights, and writes nowhere but into /data: the index, the query log, the keys.
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin bythebook \
    && install --directory --owner bythebook --group bythebook --mode 0750 /data
COPY --from=build /opt/bythebook /opt/bythebook

ENV PATH=/opt/bythebook/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    BYTHEBOOK_INDEX=/data/index \
    BYTHEBOOK_LOG_FORMAT=json

USER bythebook
WORKDIR /data
VOLUME /data
EXPOSE 8000

HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]

ENTRYPOINT ["bythebook"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
