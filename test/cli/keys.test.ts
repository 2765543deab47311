// keys list, create and revoke: how to recover from a lost key.
import { describe, expect, test } from 'vitest'
import { type CommandResult, commandLineOf } from '../support/command-line.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { statementsOf } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const run = commandLineOf(world)

const whoami = '{ environment { name } }'

describe('keys create', () => {
  test('creates an ADMIN key without any key, prints it once, and the key administers', async () => {
    const { code, stdout, stderr } = await run([
      'keys',
      'create',
      '--environment',
      'Production',
      '--access',
      'admin',
      '--name',
      'Rescue',
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [, key = ''] = /^ {2}(ng_\S+)$/m.exec(stdout) ?? []
    expect(stdout).toContain('Created the API key "Rescue" of Production with the access admin.')
    const made = await world.client(key).act('createEnvironment', { name: 'Rescued', color: '#059669' })
    expect(made.userErrors).toEqual([])
  })

  test('names the environment by its name, its identifier or its id', async () => {
    const client = await world.environment('Three names')
    const { identifier } = (await client.ask('{ environment { identifier } }')).environment
    for (const named of ['Three names', identifier, await environmentIdOf(client)]) {
      const { code, json } = await run(['keys', 'create', '--environment', named, '--json'])
      expect(code).toBe(0)
      expect(json).toMatchObject({ environment: { name: 'Three names' }, access: 'full', name: 'Command line' })
      expect(await world.client(json.key).ask(whoami)).toEqual({ environment: { name: 'Three names' } })
    }
  })

  test('names some environments if none has that name', async () => {
    const { code, stdout, stderr } = await run('keys create --environment Staging')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^environment must be the name, the identifier or the id of an environment, such as "Development", "Production".*: "Staging" was not found\n$/,
    )
  })

  test('rejects an unknown access as wrong usage', async () => {
    const { code, stderr } = await run('keys create --environment Production --access root')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'access must be one of "full", "read_only", "admin"\n',
    })
  })

  test('rejects an empty name', async () => {
    const { code, stderr } = await run(['keys', 'create', '--environment', 'Production', '--name', ' '])
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'name must not be empty\n' })
  })

  test('asks for the id if several organizations have an environment with that name', async () => {
    const { db, newId, now } = world.gateway
    const organization = await db.organization.create({ data: { id: newId(), name: 'Other', createdAt: now() } })
    await db.user.create({ data: { id: newId(), organizationId: organization.id, name: 'Other', createdAt: now() } })
    const other = await db.environment.create({
      data: {
        id: newId(),
        organizationId: organization.id,
        name: 'Production',
        identifier: 'other-production',
        slug: 'other-production',
        color: '#000000',
        type: 'prod',
        createdAt: now(),
        updatedAt: now(),
      },
    })
    const { code, stderr } = await run('keys create --environment Production')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Several organizations have an environment "Production": give its id instead\n',
    })
    const { json } = await run(`keys create --environment ${other.id} --json`)
    const { json: listed } = await run('keys list --json')
    expect(listed.keys.filter((key: { id: string }) => key.id === json.id)).toHaveLength(1)
    const revoked = await run(`keys revoke ${json.id}`)
    expect(revoked.code).toBe(0)
    await db.environment.delete({ where: { id: other.id } })
    await db.organization.delete({ where: { id: organization.id } })
  })
})

describe('keys list', () => {
  test('lists the keys of all environments without their secrets', async () => {
    const { code, stdout, stderr } = await run('keys list')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^environment +id +name +access +ends in +created +last used +state\n/)
    expect(stdout).toContain('Development')
    expect(stdout).toContain(world.production.key.slice(-4))
    expect(stdout).not.toContain(world.production.key)
  })

  test('needs as many statements for 100 environments as for 50', async () => {
    const addEnvironments = async (count: number) => {
      await world.database.pool.query(
        `WITH made AS (
           INSERT INTO environments (id, organization_id, identifier, name, slug, type, color, created_at, updated_at)
           SELECT given.id, owner.id, given.id::text, 'Many ' || given.id, given.id::text, 'dev', '#000000', now(), now()
           FROM (SELECT id FROM organizations ORDER BY created_at LIMIT 1) AS owner,
                (SELECT gen_random_uuid() AS id FROM generate_series(1, $1)) AS given
           RETURNING id, organization_id
         )
         INSERT INTO api_keys (environment_id, id, user_id, name, access, hash, cipher, hint, created_at, updated_at)
         SELECT made.id, gen_random_uuid(), users.id, 'Of many', 'full', made.id::text, '', right(made.id::text, 4),
                now(), now()
         FROM made JOIN users USING (organization_id)`,
        [count],
      )
      let listed: CommandResult | undefined
      const statements = await statementsOf(async () => {
        listed = await run('keys list --json')
      })
      return { statements: statements.length, keys: listed?.json.keys ?? [] }
    }
    const fifty = await addEnvironments(50)
    const hundred = await addEnvironments(50)
    expect(hundred.keys).toHaveLength(fifty.keys.length + 50)
    expect(hundred.statements).toBe(fifty.statements)
  })

  test('lists the keys of more environments than fit on a page, each once and by environment', async () => {
    const { rows } = await world.database.pool.query<{ id: string }>(
      'SELECT id FROM api_keys WHERE revoked_at IS NULL ORDER BY environment_id, id',
    )
    await world.database.pool.query(
      `INSERT INTO api_keys (environment_id, id, user_id, name, access, hash, cipher, hint, created_at, updated_at)
       SELECT environment_id, gen_random_uuid(), user_id, 'Copy', access, gen_random_uuid()::text, '', hint, now(), now()
       FROM api_keys, generate_series(1, 6) WHERE name = 'Of many'`,
    )
    const { json } = await run('keys list --json')
    const listed = json.keys.map(({ id }) => id)
    expect(listed).toHaveLength(rows.length + 600)
    expect(new Set(listed).size).toBe(listed.length)
    const known = new Set(rows.map(({ id }) => id))
    expect(listed.filter((id) => known.has(id))).toEqual(rows.map(({ id }) => id))
    await world.database.pool.query("DELETE FROM environments WHERE name LIKE 'Many %'")
  })

  test('lists the keys of one environment', async () => {
    await world.environment('Listed')
    const { json } = await run('keys list --environment Listed --json')
    expect(json.keys).toEqual([
      {
        id: expect.any(String),
        environment: { id: expect.any(String), name: 'Listed' },
        name: 'First key',
        access: 'full',
        hint: expect.stringMatching(/^.{4}$/),
        createdAt: expect.stringMatching(/Z$/),
        revokedAt: null,
        lastUsedAt: null,
      },
    ])
  })

  test('lists more keys than fit on a page', async () => {
    await world.environment('Many keys')
    for (let count = 0; count < 101; count += 1) await run(['keys', 'create', '--environment', 'Many keys'])
    const { json } = await run(['keys', 'list', '--environment', 'Many keys', '--json'])
    expect(new Set(json.keys.map(({ id }: { id: string }) => id)).size).toBe(102)
  })
})

describe('keys revoke', () => {
  test('revokes a key at once, and lists it only among all keys then', async () => {
    const client = await world.environment('Revoked')
    const { json: created } = await run('keys create --environment Revoked --access admin --json')
    const { code, stdout } = await run(`keys revoke ${created.id}`)
    expect(code).toBe(0)
    expect(stdout).toBe(`Revoked the API key "Command line" of Revoked, which ends in ${created.key.slice(-4)}.\n`)
    expect((await world.client(created.key).send(whoami)).errors[0]?.message).toBe('API Key not found')
    expect((await client.send(whoami)).errors).toEqual([])

    const active = await run('keys list --environment Revoked --json')
    expect(active.json.keys).toHaveLength(1)
    const all = await run('keys list --environment Revoked --all --json')
    expect(all.json.keys).toHaveLength(2)
    expect((await run(`keys revoke ${created.id}`)).code).toBe(0)
  })

  test('does not find an unknown key', async () => {
    const id = world.gateway.newId()
    const { code, stderr } = await run(`keys revoke ${id}`)
    expect({ code, stderr }).toEqual({ code: 1, stderr: `API key "${id}" not found: see the ids in keys list\n` })
  })

  test('rejects an invalid id as wrong usage', async () => {
    expect(await run('keys revoke ng_secret')).toMatchObject({ code: 2, stderr: 'id must be a UUID\n' })
  })
})
