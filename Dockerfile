# The listener, for agents in a Kubernetes cluster.
#
#   docker build -t registry.example.com/slipway-listener:0.2.0 .
#
# For builds that never change, pin the base: `docker pull node:24-slim` prints its digest, and the build takes it with
# --build-arg NODE=node:24-slim@sha256:…
ARG NODE=node:24-slim

FROM ${NODE} AS packages
WORKDIR /slipway
COPY package.json package-lock.json ./
# What the listener imports of a package, in the version that the lockfile has.
RUN npm pkg delete workspaces dependencies devDependencies optionalDependencies overrides scripts \
  && npm pkg set 'dependencies.zod=*' 'dependencies.pg=*' 'dependencies.ws=*' 'dependencies.@kubernetes/client-node=*' \
  && npm install --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM ${NODE}
WORKDIR /slipway
COPY --from=packages /slipway/package.json package.json
COPY --from=packages /slipway/node_modules node_modules
COPY bin/listener.ts bin/listener.ts
COPY lib/compute/kubernetes lib/compute/kubernetes
COPY lib/compute/port.ts lib/compute/release-check.ts lib/compute/runner.ts lib/compute/server-asker.ts lib/compute/
COPY lib/compute/postgres lib/compute/postgres
COPY lib/compute/process lib/compute/process
COPY lib/contract lib/contract
COPY lib/domain/agent-failure.ts lib/domain/exception-chain.ts lib/domain/release-check.ts lib/domain/revision-id.ts lib/domain/rollout.ts lib/domain/
COPY lib/domain/kubernetes lib/domain/kubernetes
COPY lib/domain/metrics lib/domain/metrics
COPY lib/features/listener-protocol/shape.ts lib/features/listener-protocol/shape.ts
COPY lib/features/registry/shape.ts lib/features/registry/shape.ts
COPY lib/listener lib/listener
COPY lib/processes lib/processes
COPY lib/serving lib/serving
COPY lib/settings lib/settings
COPY lib/shown-text.ts lib/shown-text.ts
COPY lib/unpack lib/unpack
ENV NODE_ENV=production SLIPWAY_DRIVER=kubernetes
# `node`; a number, so that a cluster can see that it is not root.
USER 1000:1000
ENTRYPOINT ["node", "bin/listener.ts"]
