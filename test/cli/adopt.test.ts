// adopt: an application keeps its identifier and its API key, and changes addresses only.
import { describe, expect, test } from 'vitest'
import { commandLineOf } from '../support/command-line.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const run = commandLineOf(world)

const adopt = (environment: string, file: unknown) =>
  run(['adopt', '--environment', environment, '--json'], {
    stdin: typeof file === 'string' ? file : JSON.stringify(file),
  })

let count = 0
/** An identifier and a key as the hosted service makes them, and no other environment has. */
function ofApplication() {
  count += 1
  const secretKey = `0123456789abcdef0123456789${String(count).padStart(6, '0')}`
  return { applicationIdentifier: `Ab_cdEf-${String(count).padStart(4, '0')}`, secretKey }
}

const whoami = '{ environment { name identifier } }'

describe('adopt', () => {
  test('gives an environment the identifier and the key of an application', async () => {
    const before = await world.environment('Adopting')
    const application = ofApplication()
    const { identifier } = (await before.ask('{ environment { identifier } }')).environment
    const { code, json, stdout } = await adopt('Adopting', application)
    expect(code).toBe(0)
    expect(json).toMatchObject({
      environment: { name: 'Adopting', identifier: application.applicationIdentifier },
      formerIdentifier: identifier,
      apiKey: { name: 'Adopted key', access: 'full' },
      isWeak: false,
    })
    expect(stdout).not.toContain(application.secretKey)
    const expected = { environment: { name: 'Adopting', identifier: application.applicationIdentifier } }
    expect(await world.client(application.secretKey).ask(whoami)).toEqual(expected)
    // Other keys stay.
    expect(await before.ask(whoami)).toEqual(expected)
  })

  test('may give one of the two, and may be repeated', async () => {
    const { applicationIdentifier, secretKey } = ofApplication()
    await world.environment('One by one')
    for (const file of [{ secretKey }, { applicationIdentifier }, { applicationIdentifier, secretKey }]) {
      expect((await adopt('One by one', file)).code).toBe(0)
    }
    const { keys } = (await run(['keys', 'list', '--environment', 'One by one', '--json'])).json
    expect(keys).toHaveLength(2)
  })

  test('writes neither if one of them is taken, and does not show the key', async () => {
    const taken = ofApplication()
    await world.environment('First')
    await adopt('First', taken)
    const second = await world.environment('Second')
    const { identifier } = (await second.ask('{ environment { identifier } }')).environment
    const own = ofApplication()

    const byKey = await adopt('Second', { ...own, secretKey: taken.secretKey })
    expect({ code: byKey.code, stderr: byKey.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('secretKey belongs to another environment'),
    })
    expect(byKey.stdout + byKey.stderr).not.toContain(taken.secretKey)
    const byIdentifier = await adopt('Second', { ...own, applicationIdentifier: taken.applicationIdentifier })
    expect(byIdentifier.stderr).toContain(`Another environment has the identifier "${taken.applicationIdentifier}"`)

    expect((await second.ask('{ environment { identifier } }')).environment).toEqual({ identifier })
    const { keys } = (await run('keys list --environment Second --json')).json
    expect(keys).toHaveLength(1)
  })

  test('does not take a revoked key', async () => {
    const { secretKey } = ofApplication()
    await world.environment('Revoking')
    await adopt('Revoking', { secretKey })
    const { keys } = (await run('keys list --environment Revoking --json')).json
    await run(`keys revoke ${keys.at(-1)?.id}`)
    expect((await adopt('Revoking', { secretKey })).stderr).toContain(
      'secretKey was revoked, and a revoked key cannot be used again',
    )
  })

  test('says that a key is weak', async () => {
    await world.environment('Weak')
    const { code, stdout } = await run(['adopt', '--environment', 'Weak'], {
      stdin: JSON.stringify({ secretKey: 'aaaaaaaaaaaaaaaab' }),
    })
    expect(code).toBe(0)
    expect(stdout).toContain('The API key is weak')
  })

  test.each([
    ['', 'must be a JSON object'],
    ['[]', 'must be a JSON object'],
    ['{"secretKey": "0123456789abcdef', 'must be a JSON object'],
    ['{}', 'applicationIdentifier is required unless secretKey is given'],
    [{ secretKey: 'short' }, 'secretKey must be 16 to 200 printable characters without spaces'],
    [{ applicationIdentifier: 'a b' }, 'applicationIdentifier must be 1 to 255 letters, digits and . _ ~ -'],
    [{ secretKey: 7 }, 'secretKey must be a string'],
    [{ apiKey: '0123456789abcdef' }, 'apiKey is unknown'],
    ['x'.repeat(10_001), 'must be at most 10000 bytes long'],
  ])('rejects %j and names what is allowed', async (file, message) => {
    const { code, stdout, stderr } = await adopt('Development', file)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('0123456789abcdef')
  })
})
