// The replies of people to text messages: the keywords that an integration understands, and what it answers.
import { z } from 'zod'
import { integrationsById } from '../../data/integration.ts'
import type { Integration as Row } from '../../data/prisma/client.ts'
import { text } from '../../lib/validation.ts'
import type { InboundText, TextKeyword } from '../channel/inbound-text.ts'
import { jsonColumn } from '../channel/stored-json.ts'
import { audit } from '../resolver/audit.ts'
import { mutation, query } from '../resolver/resolver.ts'
import { refuse } from '../../lib/errors.ts'
import { requireUsedIntegration, usedIntegration } from '../used-integration.ts'

/** Maximum further keywords of each kind. */
export const MAX_WORDS = 20

/** Maximum length of an answer, in characters. */
export const MAX_ANSWER = 1_600

/** The keywords that every integration understands, as carriers in most countries define them. */
export const standardWords = {
  stop: ['stop', 'stopall', 'stop all', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt-out'],
  start: ['start', 'yes', 'unstop'],
  help: ['help', 'info'],
} as const satisfies Record<TextKeyword, readonly string[]>

const normalized = (word: string) => word.trim().replaceAll(/\s+/g, ' ').toLowerCase()

const word = text(40, 1).refine((value) => normalized(value) !== '', 'must not be empty')
const words = z.array(word).max(MAX_WORDS).nullish()
const answer = text(MAX_ANSWER, 1).nullish()

/** The fields of the replies of an integration. */
const replyFields = {
  stopWords: words,
  startWords: words,
  stopText: answer,
  startText: answer,
  helpText: answer,
}

/** A type of JSON, which an interface is not. */
export type TextReplies = {
  readonly stopWords: readonly string[]
  readonly startWords: readonly string[]
  /** Sent once after a keyword. Null if nothing is sent. */
  readonly stopText: string | null
  readonly startText: string | null
  readonly helpText: string | null
}

const none: TextReplies = { stopWords: [], startWords: [], stopText: null, startText: null, helpText: null }
const stored = jsonColumn<TextReplies>()

export const repliesOf = ({ replies }: Pick<Row, 'replies'>): TextReplies =>
  replies === null ? none : { ...none, ...stored(replies) }

/** Returns what a text asks for: its whole text is a keyword, trimmed and case-insensitive. Undefined for others. */
export function keywordOf({ text, optOutType }: InboundText, { stopWords, startWords }: TextReplies) {
  if (optOutType !== undefined) return optOutType
  const given = normalized(text)
  const own: Readonly<Record<TextKeyword, readonly string[]>> = { stop: stopWords, start: startWords, help: [] }
  const kinds = ['stop', 'start', 'help'] as const
  return kinds.find((kind) => [...standardWords[kind], ...own[kind]].some((one) => normalized(one) === given))
}

/** The replies of an integration of text messages. Null for others. Batched. */
export const textReplies = query({
  name: 'integration.getTextReplies',
  permission: 'integration:read',
  input: z.object({ id: z.uuid() }),
  async run({ load }, { id }): Promise<TextReplies | null> {
    const row = await load(integrationsById, id)
    return row?.channel === 'sms' ? repliesOf(row) : null
  },
})

/**
 * Replaces the replies of an integration of text messages.
 *
 * @throws Refusal `NOT_FOUND`, or `INVALID` for another channel, or for a word that means something else already.
 */
export const setTextReplies = mutation({
  name: 'integration.setTextReplies',
  permission: 'integration:write',
  input: z.object({ ...usedIntegration, ...replyFields }),
  async run(scope, { integrationIdentifier, integrationId, ...given }) {
    const { db, environmentId, now } = scope
    const row = await requireUsedIntegration(scope, { integrationIdentifier, integrationId })
    // Without any, there is nothing that another channel could not have.
    const isEmpty = Object.values(given).every((value) => value == null || value.length === 0)
    if (row.channel !== 'sms' && !isEmpty) {
      const field = integrationId == null ? 'integrationIdentifier' : 'integrationId'
      throw refuse('INVALID', `${field} must be an integration of the channel sms`, field)
    }
    const stopWords = (given.stopWords ?? []).map(normalized)
    const startWords = (given.startWords ?? []).map(normalized)
    const taken = startWords.findIndex((one) => [...standardWords.stop, ...stopWords].some((other) => other === one))
    if (taken !== -1) {
      throw refuse('INVALID', `startWords[${taken}] must not be a word that stops messages`, ['startWords', taken])
    }
    const { stopText = null, startText = null, helpText = null } = given
    const replies: TextReplies = { stopWords, startWords, stopText, startText, helpText }
    await db.integration.update({
      where: { environmentId_id: { environmentId, id: row.id } },
      data: { replies, updatedAt: now() },
    })
    audit(scope, 'text replies changed', { environmentId, integrationId: row.id, integration: row.identifier })
    return { integrationId: row.id, replies }
  },
})
