// The labels of a step's fields.
import type { StepType } from '../../../parts/step-types.ts'
import type { StepValues } from '../draft/step-values.ts'

type FieldName = Exclude<keyof StepValues, 'uid' | 'type'>

export const fieldLabels = {
  stepId: 'Step ID',
  name: 'Step name',
  active: 'The step is on',
  condition: 'Condition',
  subject: 'Subject',
  body: 'Text',
  avatar: 'Picture',
  url: 'Link',
  data: 'Data',
  payloadFields: 'Payload fields',
  target: 'Link opens in',
  actions: 'Buttons',
  amount: 'Duration',
  unit: 'Unit',
  extendToSchedule: 'Until the next hours of the subscriber',
  key: 'Group by',
  incidentKey: 'Incident key',
  incidentAction: 'Incident',
  integrationIdentifier: 'Integration',
  expiresAfter: 'Expires after',
  timeLimit: 'Time limit',
  preheader: 'Preview text',
  textBody: 'Plain text',
  from: 'From',
  senderName: 'Sender name',
  replyTo: 'Reply to',
  cc: 'Cc',
  bcc: 'Bcc',
  headers: 'Headers',
  threadKey: 'Thread',
  attachments: 'Attachments',
} as const satisfies Record<FieldName, string>

/** Labels that differ for one step type. */
export const ownLabels = {
  IN_APP: { subject: 'Heading' },
  EMAIL: { body: 'Body' },
  SMS: {},
  CHAT: {},
  PUSH: { subject: 'Title' },
  TOOL: { subject: 'Summary' },
  DELAY: { amount: 'Wait for' },
  DIGEST: { amount: 'Collect for' },
} as const satisfies Record<StepType, Partial<Record<FieldName, string>>>

/** Returns the label of a step's field. A name without a field is its own label. */
export function fieldLabel(type: StepType, name: string): string {
  const labels: Readonly<Record<string, string>> = { ...fieldLabels, ...ownLabels[type] }
  return labels[name] ?? name
}
