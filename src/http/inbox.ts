// The inbox for other web pages: serves the module that Vite built into dist/inbox.
import { fileURLToPath } from 'node:url'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { PUBLIC } from './security-headers.ts'

/** The path is the same from src/http and from dist/http. */
const folder = fileURLToPath(new URL('../../dist/inbox', import.meta.url))

/** Serves `/inbox.js`. It needs no API key, and pages of every origin may load it: it contains no data. */
export function inboxRoutes(): Hono {
  const inbox = new Hono()
  inbox.use('/inbox.js', async (c, next) => {
    await next()
    if (!c.res.ok) return
    c.header('Cache-Control', PUBLIC)
    c.header('Access-Control-Allow-Origin', '*')
  })
  inbox.get('/inbox.js', serveStatic({ root: folder, precompressed: true }))
  return inbox
}
