// The fields of an email step besides its subject and body, while they are edited.
import type { ResultOf } from '../../../graph/graphql.ts'
import type { stepFields } from './step-fields.ts'

/** Templates. Absent texts are empty. */
export interface EmailValues {
  preheader: string
  textBody: string
  from: string
  senderName: string
  replyTo: string[]
  cc: string[]
  bcc: string[]
  headers: { name: string; value: string }[]
  threadKey: string
  attachments: boolean
}

type EmailResult = Extract<ResultOf<typeof stepFields>, { readonly preheader: unknown }>

export const noEmailFields: EmailValues = {
  preheader: '',
  textBody: '',
  from: '',
  senderName: '',
  replyTo: [],
  cc: [],
  bcc: [],
  headers: [],
  threadKey: '',
  attachments: true,
}

/** Returns the values of a stored step. */
export const emailValues = (step: EmailResult): EmailValues => ({
  preheader: step.preheader ?? '',
  textBody: step.textBody ?? '',
  from: step.from ?? '',
  senderName: step.senderName ?? '',
  replyTo: [...step.replyTo],
  cc: [...step.cc],
  bcc: [...step.bcc],
  headers: step.headers.map(({ name, value }) => ({ name, value })),
  threadKey: step.threadKey ?? '',
  attachments: step.attachments,
})

const optional = (text: string) => (text === '' ? null : text)

/** Returns the fields as mutation input. */
export const emailInput = ({
  preheader,
  textBody,
  from,
  senderName,
  replyTo,
  cc,
  bcc,
  headers,
  threadKey,
  attachments,
}: EmailValues) => ({
  preheader: optional(preheader),
  textBody: optional(textBody),
  from: optional(from),
  senderName: optional(senderName),
  replyTo,
  cc,
  bcc,
  headers,
  threadKey: optional(threadKey),
  attachments,
})
