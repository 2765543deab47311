// The rendered content in the form that a provider needs: HTML and plain text for email, one text for all other
// channels.
import {
  type Envelope,
  envelopeOf,
  partsOf,
  type IntegrationSender,
  withoutErased,
} from '../../domain/channel/email-envelope.ts'
import type { EmailAddress } from '../../domain/channel/email-address.ts'
import type { EmailHeader } from '../../domain/channel/email-header.ts'
import type { Message } from '../../engine/message.ts'
import { type EnvironmentEvaluator, requestBudget } from '../../evaluation/evaluator.ts'
import { explain } from '../../evaluation/work.ts'
import { DeliveryFailure, type OutgoingMessage } from './provider.ts'

/** Adds the plain text of an HTML email. @throws DeliveryFailure if it could not be created. */
export async function withPlainText(evaluator: EnvironmentEvaluator, message: Message): Promise<OutgoingMessage> {
  const { body } = message.content
  if (message.channel !== 'email' || partsOf(message.content).text !== undefined) return { ...message, plainText: null }
  const [outcome] = await evaluator.begin(requestBudget).run('htmlText', [body])
  if (outcome?.status === 'done') return { ...message, plainText: outcome.value }
  if (outcome?.status === 'failed') {
    // The time it takes also depends on the load of the machine.
    throw new DeliveryFailure(explain('The plain text of the email', outcome), { permanent: outcome.cause !== 'time' })
  }
  throw new DeliveryFailure(
    'The plain text of the email is not created yet: the environment has used its evaluation time.',
    { permanent: false },
  )
}

export interface EmailContent {
  readonly subject: string
  /** Undefined if the body has no tags, because it would lose its line breaks as HTML. */
  readonly html: string | undefined
  readonly text: string
}

/** An email without a subject is sent with the workflow's name, because many servers reject an empty subject. */
export function emailContent({ content, workflow, plainText }: OutgoingMessage): EmailContent {
  const { html, text = plainText ?? '' } = partsOf(content)
  return { subject: content.subject || workflow.name, html, text }
}

/** The addresses and headers of an email. @param sender the one of the integration. @param recipient null if it has no address. */
export const emailEnvelope = ({ content }: Message, sender: IntegrationSender, recipient: string | null): Envelope =>
  withoutErased(envelopeOf(content, sender, recipient), recipient)

/** The address for replies. Undefined if there is none. @throws DeliveryFailure for several, if the provider accepts one. */
export function singleReplyTo({ replyTo }: Pick<Envelope, 'replyTo'>): EmailAddress | undefined {
  if (replyTo.length < 2) return replyTo[0]
  const message = `The email must have at most one address for replies with this provider, and has ${replyTo.length}.`
  throw new DeliveryFailure(message, { permanent: true })
}

/** Returns the converted items. Undefined if there are none, because providers reject empty lists. */
export const unlessEmpty = <Item, Converted>(
  items: readonly Item[],
  convert: (item: Item) => Converted,
): readonly Converted[] | undefined => (items.length === 0 ? undefined : items.map(convert))

/** Returns headers as an object. Undefined if there are none. */
export const headersByName = (headers: readonly EmailHeader[]): Readonly<Record<string, string>> | undefined =>
  headers.length === 0 ? undefined : Object.fromEntries(headers.map(({ name, value }) => [name, value]))

/** True if a text message has a character outside of the GSM alphabet, which has no backtick. */
export const needsUnicode = (text: string): boolean => !/^[\n\x20-_a-~]*$/.test(text)

/** The content as one text, for chats and text messages. A subject becomes the first line. */
export function textContent({ content: { subject, body } }: Message): string {
  return subject ? `${subject}\n${body}` : body
}
