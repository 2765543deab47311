// The description of this door, for programs at /openapi.json and for people at /docs. Neither needs an API key.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Hono } from 'hono'
import { type Addresses, describe } from './openapi.ts'
import { table } from './table.ts'

const { resolve } = createRequire(import.meta.url)

/** Served from here, because the page must work where there is no other network. */
const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const

// Addresses are relative: the gateway may be served below a path.
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Notification gateway: REST</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`

// Its validator is a service on the network.
const start = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null })\n`

/** Only what is served here runs. The page writes styles of its own, and may call the addresses that it describes. */
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

export function docsRoutes(addresses: Addresses): Hono {
  const document = describe(table, addresses)
  const policy = policyFor(addresses)
  const cached = { 'Cache-Control': 'public, max-age=3600' }

  const docs = new Hono()
  docs.get('/openapi.json', (c) => c.json(document))
  docs.get('/docs', (c) => c.html(page, 200, { 'Content-Security-Policy': policy }))
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
