// The fields of an email step besides subject and body, as output and as input.
import {
  hasAttachments,
  MAX_ADDRESSES,
  MAX_FIELD,
  MAX_PREHEADER,
  MAX_SENDER_NAME,
  MAX_TEXT_BODY,
  MAX_THREAD_KEY,
} from '../domain/channel/email-step.ts'
import { type EmailHeader as Header, MAX_EMAIL_HEADERS, MAX_HEADER_VALUE } from '../domain/channel/email-header.ts'
import type { StepOf } from '../domain/workflow-step.ts'
import { builder, type InputFields, type ObjectFields } from './schema/builder.ts'
import { byDefault } from './schema/wording.ts'

export const EmailHeader = builder.objectRef<Header>('EmailHeader').implement({
  description: 'A header of an email.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name.' }),
    value: t.exposeString('value', { description: 'The value. In a step, it is a Liquid template.' }),
  }),
})

/** What the fields are for, as sentences. */
const meaning = {
  preheader: 'The preview text in lists of emails, hidden at the start of the HTML.',
  textBody: 'The plain text of the email.',
  from: 'The address of the sender.',
  senderName: 'The display name of the sender.',
  replyTo: 'The addresses that replies go to.',
  cc: 'The addresses that get a copy.',
  bcc: 'The addresses that get a copy that nobody else sees.',
  headers: 'Further headers.',
  attachments: 'True if the email has the attachments of its events.',
  threadKey: 'The key of the thread: mail clients show emails to a subscriber with the same key as one thread.',
}

const isTemplate = 'A Liquid template.'

export const emailStepFields = (t: ObjectFields<StepOf<'email'>>) => ({
  preheader: t.string({
    nullable: true,
    description: `${meaning.preheader} ${isTemplate} Null if none is set.`,
    resolve: ({ preheader }) => preheader ?? null,
  }),
  textBody: t.string({
    nullable: true,
    description: `${meaning.textBody} ${isTemplate} Null if it is created from the HTML.`,
    resolve: ({ textBody }) => textBody ?? null,
  }),
  from: t.string({
    nullable: true,
    description: `${meaning.from} ${isTemplate} Null for the address of the integration.`,
    resolve: ({ from }) => from ?? null,
  }),
  senderName: t.string({
    nullable: true,
    description: `${meaning.senderName} ${isTemplate} Null for the name of the integration.`,
    resolve: ({ senderName }) => senderName ?? null,
  }),
  replyTo: t.stringList({
    description: `${meaning.replyTo} Liquid templates.`,
    resolve: ({ replyTo }) => replyTo ?? [],
  }),
  cc: t.stringList({ description: `${meaning.cc} Liquid templates.`, resolve: ({ cc }) => cc ?? [] }),
  bcc: t.stringList({ description: `${meaning.bcc} Liquid templates.`, resolve: ({ bcc }) => bcc ?? [] }),
  headers: t.field({ type: [EmailHeader], description: meaning.headers, resolve: ({ headers }) => headers ?? [] }),
  attachments: t.boolean({ description: meaning.attachments, resolve: hasAttachments }),
  threadKey: t.string({
    nullable: true,
    description: `${meaning.threadKey} ${isTemplate} Null for no thread.`,
    resolve: ({ threadKey }) => threadKey ?? null,
  }),
})

const templateOf = (max: number) => `A Liquid template over the variables of \`WorkflowStep\`: 1 to ${max} characters.`

const EmailHeaderInput = builder.inputType('EmailHeaderInput', {
  description: 'A header of an email.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'The name: 1 to 76 letters, digits or `-`. Headers with a field of their own, such as `Reply-To`, and headers that mail servers or the gateway set, such as `Date`, `Content-Type`, `DKIM-Signature` and `List-Unsubscribe`, are rejected.',
    }),
    value: t.string({
      required: true,
      description: `The value. ${templateOf(MAX_FIELD)} It must render to at most ${MAX_HEADER_VALUE} characters, without control characters. A header whose value is empty is left out.`,
    }),
  }),
})

const addressList = (purpose: string) =>
  `${purpose} At most ${MAX_ADDRESSES} Liquid templates over the variables of \`WorkflowStep\` of 1 to ${MAX_FIELD} characters. Each must render to nothing or to email addresses, separated by commas. An email has at most ${MAX_ADDRESSES} addresses. ${byDefault('none')}`

export const emailInputs = (t: InputFields) => ({
  preheader: t.string({
    description: `${meaning.preheader} ${templateOf(MAX_PREHEADER)} It has no effect on a body without HTML.`,
  }),
  textBody: t.string({
    description: `${meaning.textBody} ${templateOf(MAX_TEXT_BODY)} ${byDefault('it is created from the HTML')}`,
  }),
  from: t.string({
    description: `${meaning.from} ${templateOf(MAX_FIELD)} It must render to nothing or to one email address. ${byDefault('the address of the integration')}`,
  }),
  senderName: t.string({
    description: `${meaning.senderName} ${templateOf(MAX_FIELD)} It must render to at most ${MAX_SENDER_NAME} characters. ${byDefault('the name of the integration')}`,
  }),
  replyTo: t.stringList({ description: addressList(meaning.replyTo) }),
  cc: t.stringList({ description: addressList(meaning.cc) }),
  bcc: t.stringList({ description: addressList(meaning.bcc) }),
  headers: t.field({
    type: [EmailHeaderInput],
    description: `${meaning.headers} At most ${MAX_EMAIL_HEADERS}, each with its own name. ${byDefault('none')}`,
  }),
  attachments: t.boolean({ description: `${meaning.attachments} ${byDefault('true')}` }),
  threadKey: t.string({
    description: `${meaning.threadKey} ${templateOf(MAX_THREAD_KEY)} ${byDefault('no thread')}`,
  }),
})
