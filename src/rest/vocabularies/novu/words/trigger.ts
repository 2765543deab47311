// Triggers in the client's words.
import { z } from 'zod'
import { refuse } from '../../../../lib/errors.ts'
import { parse } from '../../../../lib/validation.ts'
import { unsupported } from './unsupported.ts'

const tenant = z.union([
  z.string().min(1),
  z.looseObject({
    identifier: z.string().min(1),
    name: z.string().nullish(),
    data: z.record(z.string(), z.unknown()).nullish(),
  }),
])

/** Fields without which a trigger would do something else than the caller means. */
const refused = {
  bridgeUrl: unsupported('workflows run in the gateway'),
  agentId: unsupported('the gateway has no agents'),
}
const withoutRefused = z.looseObject(refused)

/** Fields of a trigger that only the client has. */
export const fieldsOfClient = {
  tenant: tenant.nullish().meta({ description: 'The tenant, which is the context `tenant`.' }),
  ...refused,
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The context of a tenant, which is `context.tenant` here. Its name is part of the data. */
function contextOf(given: unknown) {
  const { data: parsed } = tenant.safeParse(given)
  if (parsed === undefined) {
    throw refuse('INVALID', 'tenant must be an identifier, or an object with an identifier', 'tenant', given)
  }
  if (typeof parsed === 'string') return parsed
  const { identifier, name, data } = parsed
  const known = { ...data, ...(typeof name === 'string' && { name }) }
  return Object.keys(known).length === 0 ? identifier : { id: identifier, data: known }
}

/**
 * Returns a trigger in our words: the tenant becomes a context. Anything but an object is returned as it is.
 *
 * @throws Refusal `INVALID` for fields that the gateway cannot apply.
 */
export function triggerFrom(given: unknown): unknown {
  if (!isObject(given)) return given
  parse(withoutRefused, given)
  const { tenant, bridgeUrl: _bridgeUrl, agentId: _agentId, ...trigger } = given
  if (tenant === undefined || tenant === null) return trigger
  const context = isObject(trigger['context']) ? trigger['context'] : {}
  if ('tenant' in context) {
    throw refuse('INVALID', 'tenant cannot be combined with context.tenant, which is the same', 'tenant')
  }
  return { ...trigger, context: { ...context, tenant: contextOf(tenant) } }
}
