FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
# @nestjs/swagger brings TypeScript for its plugin and Swagger UI for a page; Milepost uses neither.
RUN npm run build && npm prune --omit=dev && rm -rf node_modules/typescript node_modules/swagger-ui-dist

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 MILEPOST_DATA=/data PATH=/app/bin:$PATH
WORKDIR /app
RUN install -d -m 0700 -o node -g node /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/bin bin
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["milepost"]
