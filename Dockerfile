# One image for every process; the command says which: api, console, worker, indexer, migrate. Its root file system may be read-only: what is written goes to
# /var/lib/mintrail (uploaded files, logs of Ponder), /bank and /tmp.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY scripts/prune-modules.mjs scripts/
# With the optional dependencies: they are the native parts of others, and what is for development only is deleted afterwards.
RUN npm ci --omit=dev && node scripts/prune-modules.mjs node_modules

# The pages of the console, and the bundle of the dependencies: what builds them is not in the image.
FROM node:24-bookworm-slim AS built
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
RUN npm ci
COPY tsconfig.json ponder.config.ts ./
COPY scripts ./scripts
COPY abis ./abis
COPY client ./client
COPY src ./src
COPY indexer ./indexer
COPY console ./console
# Every script bundles the dependencies first.
RUN npm run build:console

FROM node:24-bookworm-slim
WORKDIR /app
# The compile cache would be beside the code, which is read-only.
ENV NODE_ENV=production HOST=0.0.0.0 MINTRAIL_DATA_DIR=/var/lib/mintrail NODE_DISABLE_COMPILE_CACHE=1
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ponder.config.ts tsconfig.json ./
COPY abis ./abis
COPY client ./client
COPY src ./src
COPY docs ./docs
COPY indexer ./indexer
COPY --from=built /app/dist/console ./dist/console
COPY --from=built /app/node_modules/.cache/dependencies ./node_modules/.cache/dependencies
# Ponder writes its types beside its schema, and GraphQL's schema into the working folder.
RUN mkdir -p /var/lib/mintrail /bank/inbox /bank/outbox && chown -R node:node /var/lib/mintrail /bank && ln -sf /tmp/ponder-env.d.ts indexer/ponder-env.d.ts && ln -s /tmp generated
USER node
VOLUME /var/lib/mintrail
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "/app/src/cli/health-check.mjs"]
# The path is absolute, so that commands may run in another folder.
ENTRYPOINT ["node", "/app/src/cli/mintrail.mjs"]
CMD ["--help"]
