// Conditions of integrations: groups of filters in the client's words, JSON Logic here.
import { z } from 'zod'
import type { Json, JsonObject } from '../../../../lib/validation.ts'

const field = z.string().regex(/^\w[\w.-]*$/, 'must be the path of a field, such as plan')
const operator = z.enum(['EQUAL', 'NOT_EQUAL', 'IN', 'NOT_IN'])

const filter = z.union([
  z.strictObject({ field, value: z.string(), operator, on: z.enum(['subscriber', 'payload']) }),
  z.strictObject({ field: z.literal('identifier'), value: z.string(), operator, on: z.literal('tenant') }),
])

/** Groups of filters, all of which must match. */
export const filterGroups = z.array(
  z.strictObject({
    isNegated: z.boolean().default(false),
    type: z.literal('GROUP').default('GROUP'),
    value: z.enum(['AND', 'OR']).default('AND'),
    children: z.array(filter).min(1),
  }),
)

type Filter = z.output<typeof filter>
type Group = z.output<typeof filterGroups>[number]

const listOf = (value: string) => value.split(',').map((one) => one.trim())

function ruleOfFilter({ on, field, operator, value }: Filter): JsonObject {
  const variable = { var: on === 'tenant' ? 'context.tenant.id' : `${on}.${field}` }
  switch (operator) {
    case 'EQUAL':
      return { '==': [variable, value] }
    case 'NOT_EQUAL':
      return { '!=': [variable, value] }
    case 'IN':
      return { in: [variable, listOf(value)] }
    case 'NOT_IN':
      return { '!': [{ in: [variable, listOf(value)] }] }
  }
}

function ruleOfGroup({ isNegated, value, children }: Group): JsonObject {
  const rules: Json[] = children.map(ruleOfFilter)
  const rule: JsonObject = value === 'AND' ? { and: rules } : { or: rules }
  return isNegated ? { '!': [rule] } : rule
}

/** Returns the JSON Logic rule of groups of filters. Null if there are none. */
export const ruleOfGroups = (groups: readonly Group[]): JsonObject | null =>
  groups.length === 0 ? null : { and: groups.map(ruleOfGroup) }

/** A variable that the client can name. It does not know tenants in answers. */
const variable = z
  .strictObject({ var: z.templateLiteral([z.enum(['subscriber', 'payload']), '.', field]) })
  .transform(({ var: path }) => {
    const on = path.startsWith('payload.') ? ('payload' as const) : ('subscriber' as const)
    return { on, field: path.slice(on.length + 1) }
  })
const values = z.array(z.string()).transform((list) => list.join(','))
const oneOf = z.strictObject({ in: z.tuple([variable, values]) }).transform((rule) => rule.in)

type Pair = readonly [z.output<typeof variable>, string]
const named = (operator: Filter['operator'], [variable, value]: Pair): Filter => ({ ...variable, operator, value })

const filterRule = z.union([
  z.strictObject({ '==': z.tuple([variable, z.string()]) }).transform((rule) => named('EQUAL', rule['=='])),
  z.strictObject({ '!=': z.tuple([variable, z.string()]) }).transform((rule) => named('NOT_EQUAL', rule['!='])),
  oneOf.transform((pair) => named('IN', pair)),
  z.strictObject({ '!': z.tuple([oneOf]) }).transform((rule) => named('NOT_IN', rule['!'][0])),
])

const filterRules = z.array(filterRule).min(1)
const groupRule = z.union([
  z.strictObject({ and: filterRules }).transform(({ and }) => ({ value: 'AND' as const, children: and })),
  z.strictObject({ or: filterRules }).transform(({ or }) => ({ value: 'OR' as const, children: or })),
])

const storedRule = z.strictObject({
  and: z
    .array(
      z.union([
        groupRule.transform((group): Group => ({ ...group, type: 'GROUP', isNegated: false })),
        z
          .strictObject({ '!': z.tuple([groupRule]) })
          .transform((rule): Group => ({ ...rule['!'][0], type: 'GROUP', isNegated: true })),
      ]),
    )
    .min(1),
})

/**
 * Returns the groups of filters of a rule. Undefined if no groups have the same meaning: the client refuses a list with
 * any other form.
 */
export function groupsOfRule(rule: unknown): readonly Group[] | undefined {
  const { data } = storedRule.safeParse(rule)
  return data !== undefined && JSON.stringify(ruleOfGroups(data.and)) === JSON.stringify(rule) ? data.and : undefined
}
