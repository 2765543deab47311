// The dashboard as it is served: the page at the bare address, its files, its security policy and its size.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const built = path.join(import.meta.dirname, '../../dist/dashboard')
const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'

const get = (to: string, headers: Record<string, string> = {}) =>
  world.app.fetch(new Request(`http://gateway.test${to}`, { headers }))

/** The files that the page names, as paths. They are relative in the page. */
async function filesOfPage(): Promise<string[]> {
  const page = await (await get('/', { accept })).text()
  return [...page.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, file = '']) => file)
}

describe('the bare address', () => {
  test('opens the dashboard in a browser, while other callers get the usual error', async () => {
    const page = await get('/', { accept })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
    expect((await get('/', { accept: 'application/json' })).status).toBe(401)
    expect((await get('/')).status).toBe(401)
    expect((await get('/', { accept, authorization: `ApiKey ${world.development.key}` })).status).toBe(404)
  })

  test('is never cached, because every response has a new nonce', async () => {
    const [one, other] = await Promise.all([get('/', { accept }), get('/', { accept })])
    const nonceOf = (response: Response) =>
      /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1]
    expect(one.headers.get('cache-control')).toBe('no-store')
    expect(nonceOf(one)).toBeDefined()
    expect(nonceOf(one)).not.toBe(nonceOf(other))
    expect(await one.text()).toContain(`nonce="${nonceOf(one)}"`)
  })

  test('gives no reference to a page that opens it in a window', async () => {
    const { headers } = await get('/', { accept })
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test('has a worker beside it, which is never cached and loads nothing', async () => {
    const { status, headers } = await get('/session-worker.js')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('allows no inline script and no other host', async () => {
    const { headers } = await get('/', { accept })
    const policy = headers.get('content-security-policy')?.split('; ') ?? []
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    // Style attributes, which email previews need, can neither run code nor load anything from elsewhere.
    expect(policy.filter((rule) => /unsafe|https?:|\*/.test(rule))).toEqual(["style-src-attr 'unsafe-inline'"])
  })
})

describe('with DASHBOARD=off', () => {
  const without = useWorld({ dashboard: false })

  test('the bare address leads a browser to the REST description, and no page is served', async () => {
    const open = (to: string) => without.app.fetch(new Request(`http://gateway.test${to}`, { headers: { accept } }))
    const page = await open('/')
    expect([page.status, page.headers.get('location')]).toEqual([302, 'docs'])
    const [file = ''] = await filesOfPage()
    expect((await open(file)).status).toBe(401)
  })
})

describe('the files of the dashboard', () => {
  test('are compressed and cached forever, because their names change with their content', async () => {
    const files = await filesOfPage()
    expect(files.length).toBeGreaterThan(2)
    for (const file of files.filter((name) => /\.(js|css)$/.test(name))) {
      for (const encoding of ['br', 'gzip']) {
        const { status, headers } = await get(file, { 'accept-encoding': encoding })
        expect([file, status, headers.get('content-encoding')]).toEqual([file, 200, encoding])
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      }
    }
  })

  test.each(['/assets/unknown.js', '/assets/../index.html', '/assets/%2e%2e/index.html', '/assets/'])(
    'do not include %s',
    async (file) => {
      expect((await get(file)).status).not.toBe(200)
    },
  )

  test('take at most 300 KB of compressed JavaScript on the first load', async () => {
    const scripts = (await filesOfPage()).filter((file) => file.endsWith('.js'))
    const sizes = scripts.map((file) => gzipSync(readFileSync(path.join(built, file)), { level: 9 }).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000)
  })

  test('name no other host to load files from', () => {
    const files = readdirSync(path.join(built, 'assets')).filter((name) => name.endsWith('.css'))
    const loaded = files.flatMap((name) => {
      const text = readFileSync(path.join(built, 'assets', name), 'utf8')
      return text.match(/(@import|url\()\s*["']?(https?:)?\/\/[^)"']+/g) ?? []
    })
    expect(loaded).toEqual([])
  })
})
