# The steps are those of .ci/run: the same Scripts/setup, the same `make build`.
FROM swift:6.3-bookworm AS build
WORKDIR /tideline
COPY Scripts/setup Scripts/setup
RUN apt-get update && apt-get install -y --no-install-recommends make && Scripts/setup build
COPY . .
RUN make build

FROM debian:bookworm-slim
COPY Scripts/setup /usr/local/lib/tideline/setup
RUN /usr/local/lib/tideline/setup run \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin tideline \
    && install --directory --owner tideline /timelines
COPY --from=build /tideline/.build/release/tideline /usr/local/bin/tideline
# librdkafka is in the executable, so its licence is in the image.
COPY --from=build /usr/share/doc/librdkafka-dev/copyright /usr/share/doc/librdkafka/copyright
USER tideline
VOLUME /timelines
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Tideline" \
    org.opencontainers.image.description="Vehicle telemetry and calendars on Kafka become timelines for widgets" \
    org.opencontainers.image.version="${VERSION}"
ENTRYPOINT ["tideline"]
