// compose.yaml and Dockerfile, which cannot run everywhere. Checks that the files they refer to exist.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readConfig, variables } from '../../src/config.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

describe('the Dockerfile', () => {
  /** The instructions, one per line, with parts separated by spaces and without comments. */
  const instructions = read('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/))
  const all = (name: string) => instructions.filter(([first]) => first === name).map(([, ...rest]) => rest)
  const lastStage = instructions.slice(instructions.findLastIndex(([first]) => first === 'FROM'))

  /** Source and target of everything that the image copies from the checkout. */
  const copied = all('COPY').filter(([first]) => first?.startsWith('--from=') === false)

  test('copies files that exist and that .dockerignore lets through', () => {
    const included = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    const sources = copied.flatMap((files) => files.slice(0, -1))
    expect(sources).toContain('src')
    expect(sources.filter((source) => !existsSync(path.join(root, source)))).toEqual([])
    expect(sources.filter((source) => !included.includes(source.split('/')[0] ?? ''))).toEqual([])
  })

  test('copies all files that the process reads besides its modules', () => {
    const targets = lastStage.filter(([name]) => name === 'COPY').map((instruction) => instruction.at(-1))
    expect(targets).toEqual(['./', 'prisma/migrations', 'node_modules', 'dist'])
  })

  test('sets variables that the gateway reads', () => {
    const names = all('ENV').flatMap((settings) => settings.map((setting) => setting.split('=')[0]))
    expect(names.filter((name) => name !== 'NODE_ENV' && !variables.includes(name ?? ''))).toEqual([])
  })

  test('runs the program as a user other than root, and checks its health', () => {
    const names = lastStage.map(([name]) => name)
    expect(lastStage).toContainEqual(['USER', 'node'])
    expect(names.indexOf('USER')).toBeLessThan(names.indexOf('CMD'))
    expect(names).toContain('HEALTHCHECK')
    expect(lastStage.at(-1)?.slice(1).join(' ')).toBe('["node", "dist/main.js"]')
    expect(read('package.json')).toContain('"start": "exec node dist/main.js"')
  })

  test('is based on the Node.js version of the continuous integration', () => {
    const [, major = ''] = /current_node=(\d+)/.exec(read('.ci/run')) ?? []
    expect(all('FROM').map(([image]) => image)).toEqual([`node:${major}-slim`, `node:${major}-slim`])
  })
})

describe('compose.yaml', () => {
  const service = z.object({
    build: z.string().optional(),
    image: z.string().optional(),
    environment: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
    volumes: z.array(z.string()).optional(),
    configs: z.array(z.object({ source: z.string(), target: z.string() })).optional(),
    stop_grace_period: z.string().optional(),
  })
  const compose = z
    .object({
      services: z.record(z.string(), service),
      configs: z.record(z.string(), z.object({ content: z.string() })),
      volumes: z.record(z.string(), z.unknown()),
    })
    .parse(parse(read('compose.yaml'), { merge: true }))
  const services = Object.entries(compose.services)
  const gateways = services.filter(([, { build }]) => build === '.')

  test('has two gateways, with variables that the gateway reads', () => {
    expect(gateways).toHaveLength(2)
    const names = gateways.flatMap(([, { environment = {} }]) => Object.keys(environment))
    expect(names.filter((name) => !variables.includes(name))).toEqual([])
    expect(names).toContain('DATABASE_URL')
  })

  test('refers only to services, configurations and volumes that it defines', () => {
    const known = { services: compose.services, configs: compose.configs, volumes: compose.volumes }
    const named = services.flatMap(([, { depends_on = [], configs = [], volumes = [] }]) => [
      ...(Array.isArray(depends_on) ? depends_on : Object.keys(depends_on)).map((name) => ['services', name] as const),
      ...configs.map(({ source }) => ['configs', source] as const),
      ...volumes.map((volume) => ['volumes', volume.split(':')[0] ?? ''] as const),
    ])
    expect(named.filter(([kind, name]) => !(name in known[kind]))).toEqual([])
  })

  test('passes requests on to all gateways, and counts the proxy', () => {
    const { content } = compose.configs['proxy'] ?? { content: '' }
    const upstreams = /reverse_proxy (.*) \{/.exec(content)?.[1]?.split(' ')
    expect(upstreams).toEqual(gateways.map(([name]) => `${name}:3000`))
    for (const [, { environment }] of gateways) expect(environment?.['TRUSTED_PROXIES']).toBe(1)
  })

  test('gives the proxy time to notice that a gateway stops, and the gateway time to finish', () => {
    const { content } = compose.configs['proxy'] ?? { content: '' }
    const [, interval] = /health_interval (\d+)s/.exec(content) ?? []
    const { shutdownDelay } = readConfig({ DATABASE_URL: 'postgresql://gateway@database/gateway' })
    expect(Number(interval)).toBeLessThan(shutdownDelay / 2)
    for (const [, { stop_grace_period = '' }] of gateways) {
      expect(Number.parseInt(stop_grace_period)).toBeGreaterThan(shutdownDelay + 25)
    }
  })

  test('requires secrets instead of having defaults for them', () => {
    const text = read('compose.yaml')
    for (const secret of ['POSTGRES_PASSWORD', 'ENCRYPTION_KEYS']) expect(text).toContain(`\${${secret}:?`)
  })
})
