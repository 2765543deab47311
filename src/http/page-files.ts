// The files of a page that Vite built. They need no API key.
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { IMMUTABLE } from './security-headers.ts'

/** Serves a folder of `root` under its name. Browsers keep the files: each name contains a hash of the content. */
export function pageFiles(root: string, folder: string): Hono {
  const files = new Hono()
  files.use(`/${folder}/*`, async (c, next) => {
    await next()
    if (c.res.ok) c.header('Cache-Control', IMMUTABLE)
  })
  files.get(`/${folder}/*`, serveStatic({ root, precompressed: true }))
  return files
}
