// The source of an email in the execution log, as a mail server would get it.
import { z } from 'zod'
import { type AttachedFile, STANDARD_TYPE } from '../channel/attachment-file.ts'
import { envelopeOf, partsOf, withoutErased } from '../channel/email-envelope.ts'
import { type MailFile, sourceOf } from '../channel/mail.ts'
import { query } from '../resolver/resolver.ts'
import { loadEvent } from '../trigger/event.ts'
import { loadTriggeredWorkflow } from '../trigger/triggered-workflow.ts'
import type { Delivery } from './delivery.ts'
import { createPlainText, sizedFilesOf, senderOf } from './email-envelope.ts'
import { loadRunOfStep } from './run.ts'

/** The bytes would make the source long, and say nothing about the email. */
const withoutBytes = ({ name, contentType, size, contentId, inline }: AttachedFile): MailFile => ({
  ...{ name, contentId, inline, contentType: contentType ?? STANDARD_TYPE },
  content: size === null ? '(Not fetched yet.)' : `(${size} bytes are left out here.)`,
})

/**
 * Composes the source of an email, with masks instead of secret values, without the bytes of its files, and with the time
 * of the delivery as its date. Null if its plain text takes too long to create.
 */
export const emailSourceOf = query({
  name: 'delivery.getEmailSource',
  permission: 'event:read',
  input: z.object({
    deliveryId: z.uuid(),
    stepRunId: z.uuid(),
    createdAt: z.date(),
    email: z.custom<NonNullable<Delivery['email']>>(),
  }),
  async run(scope, { deliveryId, stepRunId, createdAt, email: { content, integrationId, to } }) {
    const { html, text = await createPlainText(scope, content.body) } = partsOf(content)
    if (text === null) return null
    const { eventId } = await loadRunOfStep(scope, stepRunId)
    const workflow = await loadTriggeredWorkflow(scope, await loadEvent(scope, eventId))
    const envelope = envelopeOf(content, await senderOf(scope, integrationId), to)
    const files = await sizedFilesOf(scope, content.email?.attachments ?? [])
    const mail = {
      ...{ deliveryId, html, text },
      envelope: withoutErased(envelope, to),
      subject: content.subject || workflow.name,
      files: files.map(withoutBytes),
    }
    return sourceOf(mail, createdAt)
  },
})
