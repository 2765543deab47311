// migrate, and a gateway whose database user may only read and write rows.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import {
  build,
  freshSettings,
  runCommand,
  send,
  started,
  startGateway,
  temporaryFolder,
} from '../../support/process/gateway-process.ts'
import { administer, databaseUrl } from '../../support/prepare.ts'

vi.setConfig({ testTimeout: 240_000 })
beforeAll(build, 120_000)

const template = inject('template')

/** The SQL blocks of the section about rights, with names that no other test uses. */
async function rightsInDocs(suffix: string): Promise<string[]> {
  const page = await readFile(path.join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
  const [, section = ''] = page.split('### Separate rights for migrations')
  const blocks = section.split('\n## ')[0]?.matchAll(/```sql\n([\s\S]*?)```/g) ?? []
  return [...blocks].map(([, sql = '']) => sql.replaceAll(/\bgateway(_owner)?\b/g, `$&${suffix}`))
}

test('migrate says that nothing is missing', async () => {
  expect(await runCommand(await freshSettings(), ['migrate'])).toMatchObject({
    code: 0,
    stdout: 'No migration is missing.\n',
  })
})

describe.runIf('server' in template)('with separate rights (needs TEST_DATABASE_URL)', () => {
  test('the owner migrates, and the gateway runs with the rights that the documentation gives', async () => {
    if (!('server' in template)) return
    const { server } = template
    const suffix = `_${process.pid}`
    const [name, owner] = [`gateway${suffix}`, `gateway_owner${suffix}`]
    const [create = '', grant = '', grantExisting = ''] = await rightsInDocs(suffix)
    onTestFinished(async () => {
      await administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await administer(server, `DROP ROLE IF EXISTS ${owner}, ${name}`)
    })
    for (const statement of create.split(';').filter((part) => part.trim() !== '')) await administer(server, statement)
    const urlOf = (user: string, password: string) => {
      const url = new URL(databaseUrl(server, name))
      url.username = user
      url.password = password
      return url.href
    }
    const settings = { DATA_DIR: await temporaryFolder() }
    const asOwner = { ...settings, DATABASE_URL: urlOf(owner, 'owner secret') }
    const asGateway = { ...settings, DATABASE_URL: urlOf(name, 'secret') }
    const execute = async (sql: string) => {
      const client = new pg.Client({ connectionString: asOwner.DATABASE_URL })
      await client.connect()
      await client.query(sql).finally(() => client.end())
    }

    const before = startGateway(asGateway)
    expect(await before.ended).toBe(1)
    expect(before.output()).toContain(
      'the database user may not apply the missing migrations: run `notification-gateway migrate` as the owner of the database',
    )
    await execute(grant)
    const planned = await runCommand(asGateway, ['migrate', '--dry-run', '--json'])
    const { pending } = JSON.parse(planned.stdout)
    expect(pending.length).toBeGreaterThan(20)
    const applied = await runCommand(asOwner, ['migrate', '--json'])
    expect(JSON.parse(applied.stdout)).toEqual({ applied: pending })
    // Has the same effect as the default rights.
    await execute(grantExisting)

    const { gateway, address, keys } = await started(asGateway)
    const [key = ''] = keys
    const trigger = `mutation {
      createWorkflow(input: { identifier: "hello", name: "Hello", steps: [{ inApp: { body: "Hello" } }] }) { userErrors { message } }
      triggerEvent(input: { workflowIdentifier: "hello", to: [{ subscriber: { subscriberId: "ada" } }] }) { userErrors { message } }
    }`
    expect((await send(address, key, trigger)).body.data).toEqual({
      createWorkflow: { userErrors: [] },
      triggerEvent: { userErrors: [] },
    })
    const feed = '{ subscriber(subscriberId: "ada") { notifications { nodes { body } } } }'
    await expect
      .poll(async () => (await send(address, key, feed)).body.data?.subscriber?.notifications.nodes, {
        timeout: 60_000,
      })
      .toEqual([{ body: 'Hello' }])
    expect(await runCommand(asGateway, ['backup', path.join(settings.DATA_DIR, 'backup')])).toMatchObject({ code: 0 })
    expect(await runCommand(asGateway, ['reencrypt'])).toMatchObject({ code: 0 })
    expect(await gateway.kill('SIGTERM')).toBe(0)
    expect(gateway.output()).not.toMatch(/permission denied|"level":[45]0/)
  })
})
