// keys list: lists the API keys of one environment or of all.
import { z } from 'zod'
import { apiKeys, organizationApiKeys } from '../../domain/access/api-key.ts'
import { ownEnvironment } from '../../domain/access/environment.ts'
import { operatorIn, operators } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { command, flagOption, type GatewayContext, option } from '../command/command.ts'
import { allRows } from '../transfers/rows.ts'
import { keyResult } from '../output/shown-key.ts'
import { textTable } from '../output/text-table.ts'

type Shown = ReturnType<typeof keyResult>

/** The keys of every environment of every organization. */
async function everyKey({ gateway }: GatewayContext): Promise<Shown[]> {
  const found: Shown[] = []
  for (const operator of await operators(gateway.db)) {
    const scope = createScope(gateway, operator)
    const keys = await organizationApiKeys(scope, {})
    found.push(...keys.map((key) => keyResult(key, { id: key.environmentId, name: key.environmentName })))
  }
  return found
}

async function keysIn({ gateway }: GatewayContext, environment: string): Promise<Shown[]> {
  const scope = createScope(gateway, await operatorIn(gateway.db, environment))
  const { id, name } = await ownEnvironment(scope, {})
  const keys = await allRows(scope, (page) => apiKeys(scope, { environmentId: id, page }))
  return keys.map((key) => keyResult(key, { id, name }))
}

const state = ({ revokedAt }: Shown) => (revokedAt === null ? 'active' : `revoked ${day(revokedAt)}`)
const lastUse = ({ lastUsedAt }: Shown) =>
  lastUsedAt === null ? 'never' : lastUsedAt.toISOString().slice(0, 16).replace('T', ' ')
const day = (time: Date) => time.toISOString().slice(0, 10)

export const listKeys = command({
  place: 'gateway',
  description: 'Lists the active API keys, without their secrets.',
  examples: [
    ['keys list', 'the keys of all environments'],
    ['keys list --environment Production --json', 'those of one, as JSON'],
  ],
  parameters: {
    environment: option('ENVIRONMENT', 'name, identifier or id. Default: all environments', z.string().optional()),
    all: flagOption('lists revoked keys too'),
  },
  async run(context, { environment, all }) {
    const found = await (environment === undefined ? everyKey(context) : keysIn(context, environment))
    const keys = found.filter(({ revokedAt }) => all || revokedAt === null)
    const headings = ['environment', 'id', 'name', 'access', 'ends in', 'created', 'last used', 'state']
    const rows = keys.map((key) => [
      key.environment.name,
      key.id,
      key.name,
      key.access,
      key.hint,
      day(key.createdAt),
      lastUse(key),
      state(key),
    ])
    return { text: keys.length === 0 ? 'no API keys' : textTable(headings, rows), result: { keys } }
  },
})
