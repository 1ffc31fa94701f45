# A worker: the sources, their packages, and the workflow bundle built beforehand. The command line is in it as well:
# `docker run … node bin/pawl.mjs list`. It needs TEMPORAL_ADDRESS; it starts no Temporal server of its own.

ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
# Temporal's native library comes for five platforms, 138 MB; the image needs one.
RUN set -eu; \
    case "$(node -p process.arch)" in \
      x64) keep=x86_64-unknown-linux-gnu ;; \
      arm64) keep=aarch64-unknown-linux-gnu ;; \
      *) echo "Temporal has no native library for this machine" >&2; exit 1 ;; \
    esac; \
    cd node_modules/@temporalio/core-bridge/releases; \
    test -d "$keep"; \
    find . -mindepth 1 -maxdepth 1 ! -name "$keep" -exec rm -r {} +
COPY worker.ts client.ts ./
COPY bin bin
COPY src src
COPY deploy deploy
# A volume that is mounted on the payloads starts with their owner, so the folder must be there.
RUN mkdir -p -m 0700 /var/lib/pawl/payloads && PAWL_HOME=/var/lib/pawl node --import tsx deploy/prebuild.ts

FROM ${NODE_IMAGE}
# tini ends the worker on a SIGTERM that comes before the worker listens for it: Linux ignores one for process 1 without
# a handler. The native library takes the roots for TLS from the system.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates tini \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production PAWL_HOME=/var/lib/pawl PAWL_DOWNLOAD=0
COPY --from=build /app /app
COPY --from=build --chown=node:node /var/lib/pawl /var/lib/pawl
USER node
HEALTHCHECK --interval=60s --timeout=30s --start-period=60s CMD ["node", "--import", "tsx", "deploy/worker-health.ts"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "--import", "tsx", "worker.ts"]
