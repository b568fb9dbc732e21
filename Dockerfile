# One image for every process; the command says which: api, worker, indexer, migrate.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The local chain, the compiler and the embedded database are for development and stay out.
RUN npm ci --omit=dev --omit=optional

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 MINTRAIL_DATA_DIR=/var/lib/mintrail
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ponder.config.ts tsconfig.json ./
COPY abis ./abis
COPY src ./src
COPY docs ./docs
COPY indexer ./indexer
# Ponder writes its generated types beside its schema.
RUN mkdir -p /var/lib/mintrail && chown -R node:node /var/lib/mintrail indexer
USER node
VOLUME /var/lib/mintrail
EXPOSE 3000
ENTRYPOINT ["node", "src/cli/mintrail.mjs"]
CMD ["--help"]
