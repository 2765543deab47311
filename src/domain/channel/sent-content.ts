// The content of a message as its provider sends it. The overrides of SMTP are fields of an email, and must not reach the
// other integrations of the message.
import { type Content, storedContent } from './content.ts'
import type { Delivery } from '../../data/prisma/client.ts'
import { withEmailOverride } from './email-override.ts'
import { type ProviderId, providerOf } from './provider-id.ts'

/** The provider whose requests consist of the fields of an email. */
export const SMTP = 'nodemailer' satisfies ProviderId

/** True for a provider whose overrides are those of an email. */
export const isOfEmail = (id: ProviderId): boolean => id === SMTP

/** Returns the content that a provider sends. */
export const sentContent = ({ smtp = [], ...content }: Content, id: ProviderId): Content =>
  isOfEmail(id) ? smtp.reduce(withEmailOverride, content) : content

/** Reads the content of a delivery, as its present provider sends it. */
export const contentOf = ({ content, providerId }: Pick<Delivery, 'content' | 'providerId'>): Content =>
  sentContent(storedContent(content), providerOf(providerId))
