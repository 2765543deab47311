// The dashboard: serves the page and its files, which Vite built into dist/dashboard.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { pageFiles } from './page-files.ts'

/** The path is the same from src/http and from dist/http. */
const folder = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

/** The placeholder in the built page for the nonce of each response. */
const NONCE = /CSP_NONCE/g

/** The placeholder for whether GraphiQL is served. The page links to GraphiQL only then. */
const GRAPHIQL = 'GRAPHIQL_ON_OR_OFF'

export interface DashboardOptions {
  /** True if GraphiQL is served at `/graphql`. */
  readonly graphiql: boolean
}

/** Scripts and styles may be loaded from this server only. Styles that scripts insert carry the nonce. */
const policyFor = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // An email is previewed in a frame without scripts, which inherits this policy. Emails need style attributes.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Serves the page at `/`, its worker beside it and its files under `/assets`. None of them needs an API key. */
export function dashboardRoutes({ graphiql }: DashboardOptions): Hono {
  const dashboard = new Hono()
  dashboard.get('/', async (c) => {
    const nonce = randomBytes(16).toString('base64')
    const built = await readFile(`${folder}/index.html`, 'utf8')
    const page = built.replaceAll(NONCE, nonce).replace(GRAPHIQL, graphiql ? 'on' : 'off')
    return c.html(page, 200, {
      'Content-Security-Policy': policyFor(nonce),
      // A page that opens the dashboard in a window receives no reference to it.
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
  })
  // Beside the page, because its folder is its scope. Never cached, so that it is of the same release.
  dashboard.get('/session-worker.js', serveStatic({ root: folder }))
  dashboard.route('/', pageFiles(folder, 'assets'))
  return dashboard
}
