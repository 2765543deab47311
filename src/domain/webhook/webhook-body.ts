// The body of the request of a webhook message.
import { deliveriesById } from '../../data/delivery.ts'
import { notificationsById } from '../../data/feed/notification.ts'
import type { Prisma } from '../../data/prisma/client.ts'
import { inboundTextsById } from '../../data/suppression/inbound-text.ts'
import type { JsonObject } from '../../lib/validation.ts'
import { contentOf } from '../channel/sent-content.ts'
import { asObject } from '../channel/stored-json.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/** Bytes that a body stays below. Content that would exceed them is left out. */
const MAX_BODY_BYTES = 20_000

/** A message, as it is stored. */
export interface StoredMessage {
  readonly type: string
  readonly data: Prisma.JsonValue
  readonly isTest: boolean
  readonly occurredAt: Date
}

interface ReadContent {
  readonly subject: string | null
  readonly body: string
}

interface ReadText {
  readonly from: string
  readonly to: string
  readonly body: string
}

/** The rendered content of the message that a webhook message is about. Null if it was deleted. Batched. */
async function contentNamed(
  { load }: Pick<EnvironmentScope, 'load'>,
  { channel, messageId }: JsonObject,
): Promise<ReadContent | null> {
  if (typeof messageId !== 'string') return null
  if (channel === 'in_app') {
    const found = await load(notificationsById, messageId)
    return found && { subject: found.subject, body: found.body }
  }
  const found = await load(deliveriesById, messageId)
  if (found === null) return null
  const { subject, body } = contentOf(found)
  return { subject, body }
}

/** The text of a person. Null if it was deleted. Batched. */
async function textNamed(
  { load }: Pick<EnvironmentScope, 'load'>,
  { inboundTextId }: JsonObject,
): Promise<ReadText | null> {
  const found = typeof inboundTextId === 'string' ? await load(inboundTextsById, inboundTextId) : null
  return found && { from: found.fromNumber, to: found.toNumber, body: found.text }
}

const contentReaders: Readonly<
  Record<string, ((scope: Pick<EnvironmentScope, 'load'>, data: JsonObject) => Promise<object | null>) | undefined>
> = { message: contentNamed, text: textNamed }

function bodyOf(environmentId: string, { type, isTest, occurredAt }: StoredMessage, data: object): string {
  return JSON.stringify({
    type,
    timestamp: occurredAt.toISOString(),
    data,
    environmentId,
    ...(isTest && { isTest }),
  })
}

/**
 * Returns the body of a message, which is the same in each attempt.
 *
 * @param includeContent true if a message about a message or a text has its content. `content` is null if the message was deleted, and
 *   if the body would be too large.
 */
export async function webhookBody(
  scope: Pick<EnvironmentScope, 'environmentId' | 'load'>,
  message: StoredMessage,
  includeContent: boolean,
): Promise<string> {
  const { environmentId } = scope
  const data = asObject(message.data)
  const [noun = ''] = message.type.split('.')
  const readContent = contentReaders[noun]
  if (!includeContent || readContent === undefined) return bodyOf(environmentId, message, data)
  const content = message.isTest ? null : await readContent(scope, data)
  const whole = bodyOf(environmentId, message, { ...data, content })
  return Buffer.byteLength(whole) < MAX_BODY_BYTES ? whole : bodyOf(environmentId, message, { ...data, content: null })
}
