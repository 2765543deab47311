// login: a link that signs in to the dashboard once, also printed by a gateway that starts in a terminal.
import { describe, expect, test } from 'vitest'
import { linkAtStartup } from '../../src/cli/output/sign-in-link.ts'
import { commandLineOf } from '../support/command-line.ts'
import { post } from '../support/http.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const run = commandLineOf(world)
const settings = { host: '127.0.0.1', port: 3000 }

const openOne = `mutation ($code: String) {
  openDashboardSession(input: { code: $code }) { dashboardSession { environment { name } access } }
}`

/** Signs in with a link as the dashboard does. @returns the session, or null if the link does not work. */
async function follow(link: string, address = 'http://127.0.0.1:3000') {
  const [base, code] = link.split('/#code=')
  expect(base).toBe(address)
  const { text } = await post(world, { query: openOne, variables: { code } }, { authorization: '' })
  return JSON.parse(text).data.openDashboardSession.dashboardSession
}

const linkIn = (text: string) => /^ {2}(http\S+)$/m.exec(text)?.[1] ?? ''

describe('login', () => {
  test('prints a link that signs in to the first environment once, with the access FULL', async () => {
    const { code, stdout, stderr } = await run('login', { settings })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Open this link to sign in to Development with the access full. It works once')
    expect(await follow(linkIn(stdout))).toEqual({ environment: { name: 'Development' }, access: 'FULL' })
    expect(await follow(linkIn(stdout))).toBeNull()
  })

  test.each(['READ_ONLY', 'admin'])('signs in to the given environment with the given access: %s', async (access) => {
    const { json } = await run(['login', '--environment', 'Production', '--access', access, '--json'], { settings })
    expect(json).toEqual({
      url: expect.any(String),
      expiresAt: expect.stringMatching(/Z$/),
      environment: { id: expect.any(String), name: 'Production' },
      access: access.toLowerCase(),
    })
    expect(await follow(json.url)).toEqual({ environment: { name: 'Production' }, access: access.toUpperCase() })
  })

  test.each([
    ['BASE_URL', { ...settings, baseUrl: 'https://example.com/gateway' }, 'https://example.com/gateway'],
    ['HOST and PORT', { host: '::1', port: 8080 }, 'http://[::1]:8080'],
  ])('takes the address from %s', async (_what, given, address) => {
    const { json } = await run('login --json', { settings: given })
    expect(await follow(json.url, address)).not.toBeNull()
  })

  test.each([
    ['the dashboard is off', { ...settings, dashboard: false }, 'The dashboard is off'],
    ['the port is any free one', { ...settings, port: 0 }, 'set BASE_URL or PORT'],
  ])('fails if %s', async (_what, given, message) => {
    const { code, stdout, stderr } = await run('login', { settings: given })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
  })

  test('rejects an unknown access as wrong usage', async () => {
    const { code, stderr } = await run('login --access root', { settings })
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'access must be one of "full", "read_only", "admin"\n' })
  })

  test('names the environments if none has that name', async () => {
    const { code, stderr } = await run('login --environment Nowhere', { settings })
    expect(code).toBe(1)
    expect(stderr).toContain('"Nowhere" was not found')
  })
})

describe('a gateway at its start', () => {
  const inTerminal = { host: '127.0.0.1', address: 'http://127.0.0.1:3000', isTerminal: true }

  test.each(['127.0.0.1', '::1', 'localhost'])('prints a link in a terminal if it listens on %s', async (host) => {
    const link = await linkAtStartup(world.gateway, { ...inTerminal, host })
    expect(await follow(link ?? '')).toEqual({ environment: { name: 'Development' }, access: 'FULL' })
  })

  test.each([
    ['its output is not a terminal', { isTerminal: undefined }],
    ['others can connect', { host: '0.0.0.0' }],
    ['the dashboard is off', { address: undefined }],
  ])('prints no link if %s', async (_what, given) => {
    const before = await world.gateway.db.signInCode.count()
    expect(await linkAtStartup(world.gateway, { ...inTerminal, ...given })).toBeUndefined()
    expect(await world.gateway.db.signInCode.count()).toBe(before)
  })
})
