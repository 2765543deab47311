// The envelope of an email in the execution log or a preview.
import { z } from 'zod'
import { sizedAttachmentsOfEvent } from '../../data/attachment/attachment.ts'
import { integrationsById } from '../../data/integration.ts'
import { requestBudget } from '../../evaluation/evaluator.ts'
import type { JsonObject } from '../../lib/validation.ts'
import type { AttachedFile } from '../channel/attachment-file.ts'
import type { Content } from '../channel/content.ts'
import { formatAddress } from '../channel/email-address.ts'
import { envelopeOf, partsOf, type IntegrationSender } from '../channel/email-envelope.ts'
import type { EmailHeader } from '../channel/email-header.ts'
import { openCredentials } from '../integration-setting.ts'
import { ifDecryptable } from '../resolver/decrypt.ts'
import { query } from '../resolver/resolver.ts'
import type { EnvironmentScope, Scope } from '../resolver/scope.ts'

/** An email as its provider sends it, with masks instead of secret values. Addresses are values of headers. */
export interface EmailEnvelope {
  /** Null if neither the step nor the integration has one. */
  readonly from: string | null
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly replyTo: readonly string[]
  readonly headers: readonly EmailHeader[]
  /** Null if the email has only plain text. */
  readonly html: string | null
  /** Null if it is created from the body. */
  readonly text: string | null
  readonly body: string
  readonly attachments: readonly Pick<AttachedFile, 'name' | 'contentType' | 'size'>[]
}

/** The files of an email. What was not known when it was created is looked up: it may have been fetched since. */
export async function sizedFilesOf(scope: Scope, files: readonly AttachedFile[]): Promise<readonly AttachedFile[]> {
  return Promise.all(
    files.map(async (file) => {
      if (file.size !== null) return file
      const stored = await scope.load(sizedAttachmentsOfEvent, file.eventId)
      const found = stored.find(({ position }) => position === file.position)
      return { ...file, contentType: found?.contentType ?? file.contentType, size: found?.size ?? null }
    }),
  )
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The sender that an integration has now. */
export async function senderOf(scope: EnvironmentScope, integrationId: string | null): Promise<IntegrationSender> {
  const row = integrationId === null ? null : await scope.load(integrationsById, integrationId)
  const credentials: JsonObject = (row && ifDecryptable(() => openCredentials(scope, row))) ?? {}
  return {
    from: textIn(credentials['from']) ?? '',
    senderName: textIn(credentials['senderName']),
    unsubscribeMailto: textIn(credentials['unsubscribeMailto']),
  }
}

/** Composes the envelope of an email from the current sender of its integration. Batched. */
export const emailOf = query({
  name: 'delivery.getEmail',
  permission: 'event:read',
  input: z.object({
    content: z.custom<Content>(),
    integrationId: z.uuid().nullable(),
    to: z.string().nullable(),
  }),
  async run(scope, { content, integrationId, to }): Promise<EmailEnvelope> {
    const sender = await senderOf(scope, integrationId)
    const { from, cc, bcc, replyTo, headers, ...addressed } = envelopeOf(content, sender, to)
    const { html = null, text = null } = partsOf(content)
    return {
      from: from.address === '' ? null : formatAddress(from),
      to: addressed.to.map(formatAddress),
      cc: cc.map(formatAddress),
      bcc: bcc.map(formatAddress),
      replyTo: replyTo.map(formatAddress),
      headers,
      html,
      text,
      body: content.body,
      attachments: await sizedFilesOf(scope, content.email?.attachments ?? []),
    }
  },
})

/** Creates the plain text of an HTML email. Null if that takes too long. */
export async function createPlainText({ evaluator }: Scope, body: string): Promise<string | null> {
  const [outcome] = await evaluator.begin(requestBudget).run('htmlText', [body])
  return outcome?.status === 'done' ? outcome.value : null
}

/** Creates the plain text of an HTML email. Null if that takes too long. */
export const plainTextOf = query({
  name: 'delivery.getPlainText',
  permission: 'event:read',
  input: z.object({ body: z.string() }),
  run: (scope, { body }) => createPlainText(scope, body),
})
