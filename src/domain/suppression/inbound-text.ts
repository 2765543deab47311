// Inbound texts: text messages that people sent. STOP suppresses the number and changes the preferences of everyone who has
// it, START takes that back, and HELP is answered.
import { z } from 'zod'
import {
  addInboundText,
  inboundTextPages,
  inboundTextsById,
  subscribersWithNumber,
} from '../../data/suppression/inbound-text.ts'
import { deleteRepliedSuppressions } from '../../data/suppression/suppression.ts'
import { integrationsById } from '../../data/integration.ts'
import { lockSubscribers } from '../../data/lock.ts'
import type { InboundText as Row, Integration } from '../../data/prisma/client.ts'
import { Refusal } from '../../lib/errors.ts'
import { createdConditions, order, pageRequest } from '../../lib/page.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, text } from '../../lib/validation.ts'
import { sendingRulesOf } from '../access/sending.ts'
import { addressKeyOf, hashAddress, normalizeAddress } from '../address/address.ts'
import { suppressAddresses } from '../address/suppress.ts'
import type { InboundText, TextKeyword } from '../channel/inbound-text.ts'
import { providerOf } from '../channel/provider-id.ts'
import { openCredentials } from '../integration-setting.ts'
import { recordWebhookMessages } from '../outbox/webhook-message.ts'
import { writeChoices } from '../preference/change-preference.ts'
import { DecryptionError } from '../resolver/decrypt.ts'
import { query, unwrappedMutation } from '../resolver/resolver.ts'
import type { EnvironmentScope, Scope } from '../resolver/scope.ts'
import { keywordOf, repliesOf } from './text-replies.ts'

/** Days for which inbound texts are kept. */
export const TEXTS_KEPT_FOR = 30

/** Maximum length of a stored text, in characters. Longer ones are shortened. */
const MAX_TEXT = 10_000

/** Reasons that a reply with START takes back: the person's own, and the provider's list, which START changes too. */
const repliedReasons = ['sms_keyword', 'provider'] as const

/** NUL cannot be stored. */
const storable = (value: string, max: number) => value.replaceAll('\u0000', '').slice(0, max)

/** Changes the choice for text messages of everyone with a number. */
async function changeChoices(
  scope: EnvironmentScope,
  number: string,
  { identifier: integrationIdentifier }: Integration,
  enabled: boolean | null,
): Promise<number> {
  const spellings = [number, number.replace(/^\+/, '00')]
  const found = await subscribersWithNumber(scope, spellings, { number, integrationIdentifier })
  const existing = await lockSubscribers(scope, found)
  const choices = found
    .filter((subscriberId) => existing.has(subscriberId))
    .map((subscriberId) => ({
      ...{ subscriberId, contextKeys: [], subject: { scope: 'all' as const } },
      channels: { sms: enabled },
    }))
  return choices.length === 0 ? 0 : writeChoices(scope, choices, { source: 'sms_keyword' })
}

async function stop(scope: EnvironmentScope, number: string, integration: Integration, said: string): Promise<void> {
  await suppressAddresses(scope, [
    {
      ...{ channel: 'sms', address: number, reason: 'sms_keyword', integrationId: integration.id },
      detail: `Replied with ${JSON.stringify(said)}.`,
    },
  ])
  await changeChoices(scope, number, integration, false)
}

async function start(scope: EnvironmentScope, number: string, integration: Integration): Promise<void> {
  const addressKey = await addressKeyOf(scope)
  if (addressKey !== null) {
    const addressHash = hashAddress(scope, addressKey, { channel: 'sms', address: number })
    await deleteRepliedSuppressions(scope, { addressHash, integrationId: integration.id }, repliedReasons)
  }
  await changeChoices(scope, number, integration, null)
}

/** An answer to send, once the text was stored. */
interface Answer {
  readonly id: string
  readonly integration: Integration
  readonly body: string
}

/** Stores a text and acts on its keyword. @returns the answer. Undefined if there is none, or if it was stored before. */
async function store(
  scope: EnvironmentScope,
  integration: Integration,
  given: InboundText,
  from: string,
): Promise<Answer | undefined> {
  const replies = repliesOf(integration)
  const keyword: TextKeyword | undefined = keywordOf(given, replies)
  const id = scope.newId()
  const said = storable(given.text, MAX_TEXT)
  const isNew = await addInboundText(scope, {
    id,
    integrationId: integration.id,
    integrationIdentifier: integration.identifier,
    key: storable(given.key, 255),
    fromNumber: from,
    toNumber: storable(given.to, 255),
    text: said,
    keyword: keyword ?? null,
    createdAt: scope.now(),
  })
  if (!isNew) return undefined
  if (keyword === undefined) {
    await recordWebhookMessages(scope, 'text.received', () => [
      {
        data: {
          inboundTextId: id,
          integrationIdentifier: integration.identifier,
          providerId: providerOf(integration.providerId),
          channel: integration.channel,
        },
      },
    ])
    return undefined
  }
  if (keyword === 'stop') await stop(scope, from, integration, said.trim().slice(0, 100))
  if (keyword === 'start') await start(scope, from, integration)
  const { environmentId, log } = scope
  const { identifier } = integration
  scope.afterCommit(() => log.info({ environmentId, integration: identifier, keyword }, 'keyword received'))
  const body = { stop: replies.stopText, start: replies.startText, help: replies.helpText }[keyword]
  // The provider has answered already.
  return body === null || given.optOutType !== undefined ? undefined : { id, integration, body }
}

type Sending = EnvironmentScope & Pick<Scope, 'providers'>

/** Sends an answer with one attempt. The person can ask again. */
async function send(scope: Sending, { id, integration, body }: Answer, from: string): Promise<void> {
  const { environmentId, log, evaluator, providers } = scope
  const { id: integrationId, identifier, channel } = integration
  const fields = { environmentId, integration: identifier }
  try {
    const message = {
      id,
      integration: {
        environmentId,
        id: integrationId,
        identifier,
        channel,
        providerId: providerOf(integration.providerId),
      },
      credentials: openCredentials(scope, integration),
      target: { kind: 'phone', phoneNumber: from },
      content: { subject: null, body },
      traceparent: null,
    } as const
    const { failure } = await providers.send(evaluator, message, await sendingRulesOf(scope))
    if (failure !== undefined) log.warn({ ...fields, reason: failure.reason }, 'answer to a keyword not sent')
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    log.warn({ ...fields, reason: error.message }, 'answer to a keyword not sent')
  }
}

/**
 * Handles a text that a person sent to an integration: stores it, acts on its keyword in the same transaction, and then
 * answers. A text with the same key has no effect, so nothing is answered twice. Call it outside of a transaction, because
 * it waits for the provider.
 *
 * @returns false if the integration does not exist, or if it does not send text messages.
 */
async function receiveText(scope: Sending, integrationId: string, given: InboundText): Promise<boolean> {
  const integration = await scope.load(integrationsById, integrationId)
  if (integration?.channel !== 'sms') return false
  const from = storable(normalizeAddress({ channel: 'sms', address: given.from }), 255)
  const answer = await scope.transaction((inner) => store(inner, integration, given, from))
  if (answer !== undefined) await send(scope, answer, from)
  return true
}

const inbound = z.object({
  key: z.string().min(1),
  from: z.string(),
  to: z.string(),
  text: z.string(),
  optOutType: z.enum(['stop', 'start', 'help']).optional(),
})

/** Handles the texts that the provider of an integration reports. */
export const receiveTexts = unwrappedMutation({
  name: 'inboundText.receive',
  permission: 'inboundText:write',
  input: z.object({ texts: z.array(inbound).readonly() }),
  async run(scope, { texts }): Promise<void> {
    const { caller } = scope
    if (caller.kind !== 'provider') throw new Refusal('FORBIDDEN', 'Only the provider of an integration can report')
    for (const one of texts) await receiveText(scope, caller.integrationId, one)
  },
})

export type StoredText = Row

export const inboundText = query({
  name: 'inboundText.get',
  permission: 'inboundText:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }) => load(inboundTextsById, id),
})

export const inboundTexts = query({
  name: 'inboundText.list',
  permission: 'inboundText:read',
  input: z.object({
    page: pageRequest,
    orderBy: order,
    filter: filterOf({
      from: text(255, 1),
      integrationIdentifier: text(255),
      integrationIdentifiers: severalOf(text(255)),
      ...createdConditions,
    }),
  }),
  run({ load, environmentId }, { filter, ...list }) {
    const { from, integrationIdentifier, integrationIdentifiers, ...created } = filter
    const fromNumber = from === undefined ? undefined : normalizeAddress({ channel: 'sms', address: from })
    const identifiers = valuesOf(integrationIdentifier, integrationIdentifiers)
    return load(inboundTextPages, {
      parent: environmentId,
      ...list,
      filter: { fromNumber, integrationIdentifier: identifiers, ...created },
    })
  },
})
