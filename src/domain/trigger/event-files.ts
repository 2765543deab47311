// The files that an email of an event has: the attachments of the event, or of all events that a digest has collected.
import {
  attachmentsOfDigests,
  type SizedAttachment,
  sizedAttachmentsOfEvent,
} from '../../data/attachment/attachment.ts'
import type { Event } from '../../data/prisma/client.ts'
import type { AttachedFile } from '../channel/attachment-file.ts'
import { hasAttachments } from '../channel/email-step.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import type { Step } from '../workflow-step.ts'

/** Refers to an attachment of an event. */
const attachedFile = ({ eventId, position, name, contentType, size, contentId, isInline }: SizedAttachment) => ({
  eventId,
  position,
  name,
  contentType,
  size,
  ...(contentId !== null && { contentId }),
  ...(isInline && { inline: true as const }),
})

/** What is known of the digests of runs, by run id. */
type Digests = ReadonlyMap<string, { readonly hasAttachments: boolean }>

/**
 * Returns the files for the emails of a step, oldest first, by run id. Reads nothing if the step sends none, or if no
 * event has any.
 */
export async function attachedFiles(
  scope: EnvironmentScope,
  { id, attachmentCount }: Pick<Event, 'id' | 'attachmentCount'>,
  step: Step,
  digests: Digests,
): Promise<(runId: string) => readonly AttachedFile[]> {
  if (step.type !== 'email' || !hasAttachments(step)) return () => []
  const digested = [...digests].flatMap(([runId, { hasAttachments: has }]) => (has ? [runId] : []))
  const collected = digested.length === 0 ? undefined : await attachmentsOfDigests(scope, digested)
  const own = attachmentCount === null ? [] : await scope.load(sizedAttachmentsOfEvent, id)
  return (runId) => (digests.has(runId) ? (collected?.get(runId) ?? []) : own).map(attachedFile)
}
