# The gateway as an image: `docker build -t notification-gateway .`
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json schema.graphql ./
COPY .config .config
COPY prisma prisma
COPY src src
RUN npm run build
# Prisma's command line is an optional dependency of its client, and larger than everything else.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
COPY package.json ./
COPY prisma/migrations prisma/migrations
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir --mode=700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000 9464
HEALTHCHECK --start-period=30s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
