// The payload that the templates and conditions of a workflow name, as an example to fill in.
import type { StepValues } from './draft/step-values.ts'

/** Properties of Liquid's values rather than of the payload. */
const properties = ['size', 'first', 'last']

const PATH = /\bpayload((?:\.[a-zA-Z_][\w-]*)+)/g
const LOOP = /\bin\s+payload((?:\.[a-zA-Z_][\w-]*)+)/g

type Example = { [name: string]: Example | readonly never[] | string }

/** Without a prototype, because a template can name `payload.__proto__`. */
const nothing = (): Example => Object.create(null) as Example

const pathsIn = (text: string, pattern: RegExp): string[][] =>
  [...text.matchAll(pattern)].map(([, path = '']) => path.slice(1).split('.'))

function put(example: Example, [name = '', ...rest]: readonly string[], value: Example[string]): void {
  if (rest.length === 0) {
    example[name] ??= value
    return
  }
  const inner = example[name]
  // A longer path says more than the text that stood for its beginning.
  const next: Example = typeof inner === 'object' && !Array.isArray(inner) ? (inner as Example) : nothing()
  example[name] = next
  put(next, rest, value)
}

/** Returns the texts of a step that can read the payload. */
function templatesOf(step: StepValues): readonly string[] {
  const { condition, subject, body, avatar, url, data, actions, incidentKey } = step
  const { preheader, textBody, from, senderName, replyTo, cc, bcc, headers, threadKey } = step
  const buttons = actions.flatMap((action) => [action.label, action.url])
  const email = [preheader, textBody, from, senderName, ...replyTo, ...cc, ...bcc, threadKey]
  return [
    condition,
    subject,
    body,
    avatar,
    url,
    data,
    incidentKey,
    ...buttons,
    ...email,
    ...headers.map(({ value }) => value),
  ]
}

/** Returns an object with every name that the steps read from the payload: lists for loops, texts for all else. */
export function payloadOf(steps: readonly StepValues[]): Example {
  const example = nothing()
  for (const step of steps) {
    const text = templatesOf(step).join('\n')
    for (const path of pathsIn(text, LOOP)) put(example, path, [])
    for (const path of pathsIn(text, PATH)) {
      const own = properties.includes(path.at(-1) ?? '') ? path.slice(0, -1) : path
      if (own.length > 0) put(example, own, 'text')
    }
    for (const path of [...step.payloadFields, ...(step.key === '' ? [] : [step.key])]) {
      put(example, path.split('.'), 'text')
    }
  }
  return example
}
