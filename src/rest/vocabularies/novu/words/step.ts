// The steps of workflows in the client's words.
import { z } from 'zod'
import type { Step } from '../../../../domain/workflow-step.ts'
import { type Path, Refusal } from '../../../../lib/errors.ts'
import { controlsOf, controlValues, fieldsFrom } from './controls.ts'
import { slugOfStep } from './slug.ts'

const common = {
  _id: z.string().nullish().meta({ description: '`_id` of a step of the workflow, which the step replaces.' }),
  stepId: z.string().nullish().meta({ description: 'Id of the step. By default, it comes from the name.' }),
  name: z.string(),
  providerOverrides: z
    .strictObject({})
    .nullish()
    .meta({ description: 'Always empty: overrides are part of triggers.' }),
}

function stepOf<Type extends Step['type']>(type: Type) {
  const values = controlValues[type]
  return z.strictObject({ ...common, type: z.literal(type), controlValues: values })
}

/** A step of a request. */
export const stepInWords = z.discriminatedUnion(
  'type',
  [
    stepOf('in_app'),
    stepOf('email'),
    stepOf('sms'),
    stepOf('chat'),
    stepOf('push'),
    stepOf('tool'),
    stepOf('delay'),
    stepOf('digest'),
  ],
  { error: 'must be in_app, email, sms, chat, push, tool, delay or digest: the gateway has no other steps' },
)

type Given = z.output<typeof stepInWords>

/** The beginning of a step's id: the name in lower case, with `-` between words. */
const idFromName = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 90)
    .replaceAll(/^-|-$/g, '')

/** Returns the ids of steps. Undefined for a step whose name has no letter that an id can have. */
function idsOf(given: readonly Given[], stored: readonly Step[]): readonly (string | undefined)[] {
  const isStored = (id: string) => stored.some(({ stepId }) => stepId === id)
  const chosen = given.map(({ stepId, _id }) => stepId ?? (_id && isStored(_id) ? _id : undefined))
  const taken = new Set(chosen)
  return given.map(({ name }, index) => {
    const own = chosen[index]
    const fromName = idFromName(name)
    if (own !== undefined || fromName === '') return own
    let id = fromName
    for (let count = 2; taken.has(id); count += 1) id = `${fromName}-${count}`
    taken.add(id)
    return id
  })
}

/** @throws Refusal `INVALID` if a step has a secondary action only, which would become the primary one. */
function assertActions(given: readonly Given[]): void {
  const issues = given.flatMap(({ type, controlValues }, index) => {
    if (type !== 'in_app' || controlValues.primaryAction || !controlValues.secondaryAction) return []
    const path = ['steps', index, 'controlValues', 'primaryAction']
    return [{ path, message: `${path.join('.')} is required with a secondary action` }]
  })
  if (issues.length > 0) throw new Refusal('INVALID', issues.map(({ message }) => message).join('; '), { issues })
}

/**
 * Returns steps for our input.
 *
 * @param stored the steps that they replace. A step with the same id and type keeps the fields that the client has no
 *   words for.
 * @throws Refusal `INVALID`
 */
export function stepsFrom(given: readonly Given[], stored: readonly Step[] = []): object[] {
  assertActions(given)
  const ids = idsOf(given, stored)
  return given.map((step, index) => {
    const { type, _id, name, controlValues } = step
    const stepId = ids[index]
    const former = stored.find((one) => one.stepId === (_id ?? stepId)) ?? stored.find((one) => one.stepId === stepId)
    const { skip } = controlValues
    return {
      // What the client has no words for, such as `cc` and `expiresAfter`.
      ...(former?.type === type ? former : {}),
      ...fieldsFrom(step, former),
      type,
      stepId,
      // A step without a name is shown with its id.
      name: former?.name === null && name === former.stepId ? null : name,
      condition: skip && Object.keys(skip).length > 0 ? skip : null,
    }
  })
}

/** The names of fields of a step that differ, by our names. */
const names: Readonly<Record<string, Path>> = {
  condition: ['skip'],
  url: ['redirect', 'url'],
  target: ['redirect', 'target'],
  from: ['from', 'email'],
  senderName: ['from', 'name'],
  replyTo: ['replyTo'],
  key: ['digestKey'],
}

/** Fields that are beside the control values, and the control values themselves. */
const outside: ReadonlySet<unknown> = new Set(['stepId', 'name', 'type', 'controlValues'])

/** Returns the path of a field of a step in the caller's words. @param path of the field, below the step. */
export function controlPath(path: Path): Path {
  const [field = '', index, ...rest] = path
  if (path.length === 0 || outside.has(field)) return path
  if (field === 'actions' && typeof index === 'number') {
    const action = index === 0 ? 'primaryAction' : 'secondaryAction'
    const [inner] = rest
    return ['controlValues', action, ...(inner === 'url' || inner === 'target' ? ['redirect', inner] : rest)]
  }
  const named = names[field]
  return ['controlValues', ...(named ?? path)]
}

/** The workflow of a step. */
interface WorkflowOfStep {
  readonly id: string
  readonly identifier: string
}

const anyObject = z.record(z.string(), z.unknown())

export const stepView = z
  .object({
    _id: z.string(),
    stepId: z.string(),
    name: z.string(),
    slug: z.string(),
    type: z.string(),
    origin: z.string(),
    workflowId: z.string(),
    workflowDatabaseId: z.string(),
    variables: anyObject.meta({ description: 'Always empty.' }),
    controls: z.object({ values: anyObject }).meta({ description: 'The control values.' }),
    controlValues: anyObject,
  })
  .meta({ id: 'NovuStep', description: 'A step of a workflow.' })

/** Where a workflow is edited, which the client requires to know. */
export const origin = 'novu-cloud'

export function showStep(step: Step, { id, identifier }: WorkflowOfStep): z.input<typeof stepView> {
  const { stepId, name, type } = step
  const values = controlsOf(step)
  return {
    // Unique in the workflow, as the client uses it.
    _id: stepId,
    stepId,
    name: name ?? stepId,
    slug: slugOfStep(stepId),
    ...{ type, origin },
    workflowId: identifier,
    workflowDatabaseId: id,
    variables: {},
    controls: { values },
    controlValues: values,
  }
}
