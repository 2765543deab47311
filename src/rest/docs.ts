// The API description: the OpenAPI document at /openapi.json and Swagger UI at /docs. Neither needs an API key.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Hono } from 'hono'
import { PUBLIC } from '../http/security-headers.ts'
import { type Addresses, describeTable } from './openapi.ts'
import type { Route } from './route.ts'

const { resolve } = createRequire(import.meta.url)

/** Served by the gateway, so that the page works without internet access. */
const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const

const wayBack = '<nav style="font-family: sans-serif; padding: 1rem 20px 0"><a href="./">Dashboard</a></nav>'

// The URLs are relative because a proxy may serve the gateway under a path.
const pageWith = (navigation: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Notification gateway: REST</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    ${navigation}
    <div id="docs"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`

// The validator is an external service, and there is no page for the license link.
const start = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  plugins: [() => ({ wrapComponents: { License: () => () => null } })],
})
`

/** Only the gateway's own scripts run. Swagger UI needs inline styles and calls the described addresses. */
function policyFor({ baseUrl, euBaseUrl }: Addresses): string {
  const origins = [baseUrl, euBaseUrl].filter((url) => url !== undefined).map((url) => new URL(url).origin)
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

interface DocsOptions extends Addresses {
  /** True if the dashboard is served at `/`. */
  readonly dashboard: boolean
}

/** Serves the description of the routes in `table`. */
export function docsRoutes({ dashboard, ...addresses }: DocsOptions, table: readonly Route[]): Hono {
  let printed: string | undefined
  // Printed on the first request, because most processes never receive one.
  const document = () => (printed ??= JSON.stringify(describeTable(table, addresses)))
  const policy = policyFor(addresses)
  const page = pageWith(dashboard ? wayBack : '')
  const cached = { 'Cache-Control': PUBLIC }

  const docs = new Hono()
  docs.get('/openapi.json', (c) => c.body(document(), 200, { 'Content-Type': 'application/json', ...cached }))
  docs.get('/docs', (c) => c.html(page, 200, { 'Content-Security-Policy': policy, ...cached }))
  docs.get('/docs/', (c) => c.redirect('../docs', 301))
  docs.get('/docs/start.js', (c) => c.body(start, 200, { 'Content-Type': assets['swagger-ui-bundle.js'], ...cached }))
  for (const [name, type] of Object.entries(assets)) {
    docs.get(`/docs/${name}`, async (c) => {
      const file = await readFile(resolve(`swagger-ui-dist/${name}`))
      return c.body(file, 200, { 'Content-Type': type, ...cached })
    })
  }
  return docs
}
