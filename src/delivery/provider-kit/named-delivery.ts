// Decides whether a message tells its provider the id of its delivery, by which reports find it.
import type { Message } from '../../engine/message.ts'

/** True if the integration receives reports, or the email has fields of its own. Others send the request that they always did. */
export const namesDelivery = ({ content, credentials }: Pick<Message, 'content' | 'credentials'>): boolean =>
  content.email !== undefined || typeof credentials['webhookSigningKey'] === 'string'
