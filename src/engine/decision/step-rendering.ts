// Renders the templates of a step for its recipients. A payload with secret values is rendered twice: as it is, to be sent, and
// with masks, to be shown.
import { type ChannelStep, templatesOf } from '../../domain/workflow-step.ts'
import { MASK } from '../../evaluation/secret-fields.ts'
import type { Evaluation } from '../../evaluation/evaluator.ts'
import type { Evaluated, Templates } from '../../evaluation/work.ts'
import type { Path } from '../../lib/errors.ts'
import type { JsonObject } from '../../lib/validation.ts'
import type { RunContext } from './run-context.ts'

/** The name of the template at a path. Keys of data may contain dots, but not NUL. */
export const templateName = (path: Path) => path.join('\0')

/** The templates of a step by name. */
const namedTemplates = (step: ChannelStep): Templates =>
  Object.fromEntries(templatesOf(step).map(({ path, text, escape }) => [templateName(path), { text, escape }]))

/** Rendered templates by name. */
export type Rendered = Readonly<Record<string, string>>

/** The texts of a step for one recipient. */
interface RenderedStep {
  /** Without secret values. */
  readonly shown: Rendered
  /** With secret values. Undefined if there are none. */
  readonly secret: Rendered | undefined
}

interface Rendering {
  readonly evaluation: Evaluation
  readonly runContext: Pick<RunContext, 'maskedPayload'>
  readonly step: ChannelStep
}

const isSame = (one: Rendered, other: Rendered) => Object.entries(one).every(([name, text]) => other[name] === text)

/** Renders the templates of a step for each of the variables. Notifications are shown, so they never have secret values. */
export async function renderStep(
  { evaluation, step, runContext: { maskedPayload } }: Rendering,
  variables: readonly JsonObject[],
): Promise<readonly Evaluated<RenderedStep>[]> {
  const templates = namedTemplates(step)
  const withMasks = () => variables.map((own) => ({ templates, variables: { ...own, payload: maskedPayload } }))
  if (maskedPayload === null || step.type === 'in_app') {
    const items = maskedPayload === null ? variables.map((own) => ({ templates, variables: own })) : withMasks()
    return (await evaluation.run('render', items)).map((outcome) =>
      outcome.status === 'done' ? { ...outcome, value: { shown: outcome.value, secret: undefined } } : outcome,
    )
  }
  const items = variables.map((own) => ({ templates, variables: own }))
  const outcomes = await evaluation.run('render', [...items, ...withMasks()])
  return variables.map((_own, index): Evaluated<RenderedStep> => {
    const sent = outcomes[index] ?? { status: 'deferred' }
    const shown = outcomes[index + variables.length] ?? { status: 'deferred' }
    if (sent.status !== 'done') return sent
    if (shown.status === 'deferred') return shown
    if (shown.status === 'done' && isSame(sent.value, shown.value)) {
      return { status: 'done', value: { shown: shown.value, secret: undefined } }
    }
    // A template may need a value that a mask is not, such as a number.
    const masks = () => Object.fromEntries(Object.keys(sent.value).map((name) => [name, MASK]))
    return { status: 'done', value: { shown: shown.status === 'done' ? shown.value : masks(), secret: sent.value } }
  })
}
