# asof with its server, in an image of its own. Build it from this folder: docker build -t asof .
# Run it on a folder of documents, which it follows; keys lie in the volume /state:
#   docker run --rm -v ~/notes:/notes asof index .
#   docker run --rm -v asof-state:/state asof key add me
#   docker run -p 8421:8421 -v ~/notes:/notes -v asof-state:/state asof
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE constraints.txt .ci/versions.py ./
COPY src ./src
# the versions without their hashes: pip takes these only where all that is installed has one, and a folder has none
RUN python -m venv /asof \
 && python versions.py constraints.txt >pins.txt \
 && PIP_CONSTRAINT=pins.txt PIP_BUILD_CONSTRAINT=pins.txt \
    /asof/bin/pip install --no-cache-dir '.[server,documents]'

FROM python:3.13-slim
COPY --from=build /asof /asof
RUN useradd --uid 1000 --create-home asof \
 && mkdir /notes /state \
 && chown asof:asof /notes /state
USER asof
ENV PATH=/asof/bin:$PATH \
    XDG_STATE_HOME=/state \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /notes
VOLUME ["/notes", "/state"]
EXPOSE 8421
HEALTHCHECK --interval=30s --timeout=3s CMD ["python", "-c", "import urllib.request as r; r.urlopen(r.Request('http://127.0.0.1:8421/health', headers={'Host': 'localhost'}))"]
ENTRYPOINT ["asof"]
CMD ["serve", "--host", "0.0.0.0", "--watch"]
