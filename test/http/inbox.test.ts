// The module /inbox.js as it is served. system/inbox.test.ts tests it in a page.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { english } from '../../src/inbox/texts.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ dashboard: false, corsOrigins: ['https://shop.example'] })

const root = path.join(import.meta.dirname, '../..')
const page = readFileSync(path.join(root, 'docs/inbox.md'), 'utf8')
const get = (headers: Record<string, string> = {}) =>
  world.app.fetch(new Request('http://gateway.test/inbox.js', { headers }))

describe('/inbox.js', () => {
  test.each(['https://shop.example', 'https://another.example'])('is for pages of %s', async (origin) => {
    const { status, headers } = await get({ origin })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(['*', origin]).toContain(headers.get('access-control-allow-origin'))
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
  })

  test('is compressed', async () => {
    const { headers } = await get({ 'accept-encoding': 'gzip, br' })
    expect(headers.get('content-encoding')).toBe('br')
  })

  test('takes less than 30 KB, and no more than docs/inbox.md says', () => {
    const built = readFileSync(path.join(root, 'dist/inbox/inbox.js'))
    expect(gzipSync(built, { level: 9 }).length).toBeLessThan(30_000)
    const written = Number(/\((\d+) KB compressed\)/.exec(page)?.[1])
    expect(brotliCompressSync(built).length).toBeLessThan(written * 1_000)
  })
})

describe('docs/inbox.md', () => {
  const source = (file: string) => readFileSync(path.join(root, 'src/inbox', file), 'utf8')

  test('lists every custom property of the component', () => {
    const properties = new Set([source('styles.ts'), source('list-styles.ts')].join().match(/--inbox-[a-z-]+[a-z]/g))
    expect(properties.size).toBeGreaterThan(10)
    expect([...properties].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test('lists every attribute of the component', () => {
    const attributes = new Set(source('notification-inbox.ts').match(/(?<=attribute: ')[a-z-]+/g))
    expect(attributes).toContain('avatar-hosts')
    expect([...attributes].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test('names a text that exists', () => {
    expect(page).toContain('notifications:')
    expect(Object.keys(english)).toContain('notifications')
  })
})
