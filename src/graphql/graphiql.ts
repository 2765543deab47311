// GraphiQL: the page that a browser opens at `/graphql`.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { REVALIDATED } from '../http/security-headers.ts'
import { startScript } from './graphiql-script.ts'

const welcome = `{
  environment { name }
  subscribers(first: 10) {
    totalCount
    nodes { subscriberId firstName email }
  }
}
`

const START = 'YogaGraphiQL.renderYogaGraphiQL('

interface GraphiqlOptions {
  /** True if the dashboard is served, so that the page links to it. */
  readonly dashboard: boolean
}

const unknownForm = () => new Error('the page of GraphiQL has no known form')

/** Adds GraphiQL's own history to its plugins, which Yoga replaces. */
function withHistory(script: string): string {
  const history = /([\w$]+)=\{title:"History"/.exec(script)?.[1]
  const plugins = /(plugins:\[[\w$]+)(?=\],schemaDescription)/
  if (history === undefined || !plugins.test(script)) throw unknownForm()
  return script.replace(plugins, (found) => `${found},${history}`)
}

/** The page, and its script. */
async function render({ dashboard }: GraphiqlOptions): Promise<{ page: string; script: string }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  // GraphiQL would store headers in the browser, with the keys in them.
  const options = { title: 'Notification gateway', defaultQuery: welcome, isHeadersEditorEnabled: false }
  const html = renderGraphiQL(options)
  const scriptStart = html.indexOf('<script>') + '<script>'.length
  const scriptEnd = html.lastIndexOf('</script>')
  const called = html.lastIndexOf(START)
  if (called < scriptStart || called > scriptEnd) throw unknownForm()
  const library = withHistory(html.slice(scriptStart, called))
  const script = `${startScript(dashboard)}${library}openGraphiql(${html.slice(called + START.length, scriptEnd)}`
  return { page: html.slice(0, scriptStart) + script + html.slice(scriptEnd), script }
}

/** Only the page's own script runs, and it calls only this gateway. The editor needs inline styles and workers. */
function policyFor(script: string): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline'",
    'font-src data:',
    "img-src 'self' data:",
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ')
}

const compress = promisify(gzip)

/** True if a list in a header has an element, in any form that it may have there. */
const lists = (header: string | null, element: string) =>
  (header ?? '').split(',').some((one) => one.trim().replace(/^W\/|;.*$/g, '') === element)

/**
 * Returns a function that responds with the page. It needs no API key.
 *
 * The page is loaded and rendered when it is first opened: it takes some 80 MB, and most processes never show it. It has
 * 9 MB, so it is sent compressed, and not again to a browser that has it.
 */
export function createGraphiqlPage(options: GraphiqlOptions): (request: Request) => Promise<Response> {
  const load = async () => {
    const { page, script } = await render(options)
    const body = Buffer.from(page)
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyFor(script),
      'Cache-Control': REVALIDATED,
      ETag: etag,
      Vary: 'Accept, Accept-Encoding',
    }
    return { etag, headers, body, compressed: await compress(body) }
  }
  let loaded: ReturnType<typeof load> | undefined
  return async (request) => {
    const { etag, headers, body, compressed } = await (loaded ??= load())
    if (lists(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
    if (!lists(request.headers.get('accept-encoding'), 'gzip')) return new Response(body, { headers })
    return new Response(compressed, { headers: { ...headers, 'Content-Encoding': 'gzip' } })
  }
}
