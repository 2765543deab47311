// GraphiQL: serves the page and its files, which Vite built into dist/graphiql.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { pageFiles } from './page-files.ts'

/** The path is the same from src/http and from dist/http. */
const folder = fileURLToPath(new URL('../../dist/graphiql', import.meta.url))

/** The placeholder for whether the dashboard is served. The page links to the dashboard only then. */
const DASHBOARD = 'DASHBOARD_ON_OR_OFF'

/** Everything is loaded from this server only. The editor inserts styles into the page without a nonce. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface GraphiqlOptions {
  /** True if the dashboard is served. The page then links to it. */
  readonly dashboard: boolean
}

/** Returns the page. It needs no API key: the page opens a session with an API key or uses the dashboard's session. */
export async function graphiqlPage({ dashboard }: GraphiqlOptions): Promise<Response> {
  const page = await readFile(`${folder}/index.html`, 'utf8')
  return new Response(page.replace(DASHBOARD, dashboard ? 'on' : 'off'), {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy, Vary: 'Accept' },
  })
}

/** Serves the files of the page under `/graphiql`. */
export const graphiqlRoutes = (): Hono => pageFiles(folder, 'graphiql')
