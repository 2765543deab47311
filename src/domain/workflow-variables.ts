// The variables of templates and conditions, as far as they are known when a workflow is written, and a search for names
// that do not exist. The engine creates their values in `variablesFor`.
import { type Json, type JsonObject } from '../lib/validation.ts'
import { misspelledNames } from '../lib/similar-names.ts'

/** The fields of `subscriber` and `actor`. */
export const subscriberFields = [
  'subscriberId',
  'firstName',
  'lastName',
  'email',
  'phone',
  'avatar',
  'locale',
  'timezone',
  'data',
] as const

/** What is known about a value. Without fields and items, it can be anything. */
interface Shape {
  readonly fields?: ReadonlyMap<string, Shape>
  /** The other fields of an object. Null if it has no others. */
  readonly others?: Shape | null
  /** The items of a list. */
  readonly items?: Shape
}

const anything: Shape = {}

const object = (fields: Readonly<Record<string, Shape>>): Shape => ({
  fields: new Map(Object.entries(fields)),
  others: null,
})

const fieldsOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, anything]))
const objectOf = (names: readonly string[]) => object(fieldsOf(names))

/** Keywords that may declare further properties. */
const combining = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas']

/** Returns what a JSON Schema says about the names in a value. */
function shapeOfSchema(schema: Json | undefined): Shape {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return anything
  if (combining.some((keyword) => keyword in schema)) return anything
  const { properties, additionalProperties = {}, unevaluatedProperties, items } = schema
  const declared = typeof properties === 'object' && properties !== null ? Object.entries(properties) : []
  const isClosed = additionalProperties === false || unevaluatedProperties === false
  return {
    ...((declared.length > 0 || isClosed || Object.keys(Object(additionalProperties) as object).length > 0) && {
      fields: new Map(declared.map(([name, property]) => [name, shapeOfSchema(property)])),
      others: isClosed ? null : shapeOfSchema(additionalProperties),
    }),
    ...(items !== undefined && { items: shapeOfSchema(items) }),
  }
}

/** The variables of a step. */
export type StepVariables = Shape

/** A step whose outcome later ones read. */
interface EarlierStep {
  readonly stepId: string
  readonly isDigest: boolean
}

/**
 * Returns the variables of a step.
 *
 * @param earlier the steps before it. Undefined if they are not known.
 */
export function stepVariables(
  payloadSchema: JsonObject | null | undefined,
  earlier: readonly EarlierStep[] | undefined,
): StepVariables {
  const payload = shapeOfSchema(payloadSchema ?? {})
  const subscriber = objectOf(subscriberFields)
  const actor = objectOf(['subscriberId', 'firstName', 'lastName'])
  const events: Shape = { items: object({ payload, createdAt: anything, transactionId: anything, actor }) }
  const outcome = fieldsOf(['status', 'reason', 'seen', 'read', 'delivered', 'bounced', 'messageId'])
  const [ofStep, ofDigest] = [object(outcome), object({ ...outcome, eventCount: anything, events })]
  return object({
    subscriber,
    payload,
    context: { fields: new Map(), others: objectOf(['id', 'data']) },
    actor: subscriber,
    workflow: objectOf(['identifier', 'name']),
    transactionId: anything,
    steps: earlier
      ? object(Object.fromEntries(earlier.map(({ stepId, isDigest }) => [stepId, isDigest ? ofDigest : ofStep])))
      : anything,
    digest: object({ count: anything, events }),
    unsubscribe: objectOf(['url', 'preferencesUrl']),
  })
}

/** Properties of lists and texts: those of Liquid, and `length` in conditions. */
const builtIn: ReadonlySet<string> = new Set(['size', 'first', 'last', 'length'])

const isItem = (part: string) => /^-?\d+$/.test(part) || part === 'first' || part === 'last'

const mostNames = 12

/** Returns the variable that was probably meant by a name at the beginning of a path. */
function meantByRoot({ fields = new Map<string, Shape>() }: Shape, root: string): string | undefined {
  const inside = ['subscriber', 'payload'].flatMap((name) =>
    [...(fields.get(name)?.fields?.keys() ?? [])].map((field) => ({ field, path: `${name}.${field}` })),
  )
  const exact = inside.find(({ field }) => field === root)
  if (exact) return exact.path
  const [found] = misspelledNames([root], [...fields.keys(), ...inside.map(({ field }) => field)])
  return found && (inside.find(({ field }) => field === found.similarTo)?.path ?? found.similarTo)
}

/**
 * Returns a sentence without its subject about a variable that does not exist, with the one that was probably meant.
 * Undefined if it exists, or if it may exist because the payload schema allows other properties and has no similar one.
 */
export function missingVariable(variables: StepVariables, path: readonly string[]): string | undefined {
  let shape = variables
  for (const [index, part] of path.entries()) {
    const { fields, others, items } = shape
    const known = fields?.get(part)
    if (known) {
      shape = known
      continue
    }
    if (items && isItem(part)) {
      shape = items
      continue
    }
    if ((fields ?? items) === undefined || (index > 0 && builtIn.has(part))) return undefined
    const names = [...(fields?.keys() ?? [])]
    const above = path.slice(0, index).map((name) => `${name}.`)
    const [similar] = misspelledNames([part], names)
    const meant = index === 0 ? meantByRoot(variables, part) : similar && `${above.join('')}${similar.similarTo}`
    if (meant === undefined && others) {
      shape = others
      continue
    }
    const subject = `uses ${[...path.slice(0, index + 1)].join('.')}, which does not exist`
    if (meant !== undefined) return `${subject}; did you mean ${meant}?`
    return names.length === 0 || names.length > mostNames ? subject : `${subject}: known are ${names.join(', ')}`
  }
  return undefined
}
