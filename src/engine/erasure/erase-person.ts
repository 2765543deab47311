// Requests the erasure of persons: deletes the subscribers immediately, while jobs erase their marks elsewhere.
import { z } from 'zod'
import { enqueue } from '../../data/queue/job.ts'
import { lockSubscribers } from '../../data/lock.ts'
import type { ChannelEndpoint, Subscriber } from '../../data/prisma/client.ts'
import { audit } from '../../domain/resolver/audit.ts'
import { type ChannelCredential, loadCredentials } from '../../domain/credential.ts'
import { DecryptionError } from '../../domain/resolver/decrypt.ts'
import { type Erasure, type Person, sealPersons } from '../../domain/erasure/erasure.ts'
import { referenceOf } from '../../domain/resolver/reference.ts'
import { mutation } from '../../domain/resolver/resolver.ts'
import type { Scope } from '../../domain/resolver/scope.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { subscriberReference, subscriberId } from '../../domain/subscriber-id.ts'
import { loadSubscriber } from '../../domain/subscriber.ts'
import { marksOf } from '../../lib/marks.ts'
import { text } from '../../lib/validation.ts'
import { eraseAddresses } from '../../domain/suppression/erase-addresses.ts'
import { removeSubscriber } from './delete-subscriber.ts'

/** Maximum other marks of a person in one request. */
export const MAX_MARKS = 20

/** Maximum persons in one erasure. */
export const MAX_PERSONS = 20

/** The endpoint fields that identify a person, rather than a place that several share. */
const personalFields = ['phoneNumber', 'personEmail', 'personId', 'userId'] as const

function personOf(
  subscriberId: string,
  profile: Subscriber | null,
  endpoints: readonly Pick<ChannelEndpoint, 'endpoint'>[],
  credentials: readonly ChannelCredential[],
  also: readonly string[],
): Person {
  const { firstName = null, lastName = null, email = null, phone = null, avatar = null } = profile ?? {}
  const fullNames = firstName && lastName ? [`${firstName} ${lastName}`, `${lastName}, ${firstName}`] : []
  const addresses = endpoints.flatMap(({ endpoint }) => {
    const fields = asObject(endpoint)
    return personalFields.map((field) => fields[field]).filter((value) => typeof value === 'string')
  })
  const devices = credentials.flatMap(({ webhookUrl, deviceTokens }) => [webhookUrl, ...deviceTokens])
  const own = [subscriberId, email, phone, ...fullNames, ...addresses, ...devices, ...also]
  return { subscriberId, ...marksOf(own, [firstName, lastName, avatar]) }
}

/** Credentials that cannot be decrypted are left out, because texts that contain them cannot be decrypted either. */
async function readableCredentials(scope: Scope, subscriberId: string): Promise<readonly ChannelCredential[]> {
  try {
    return await loadCredentials(scope, subscriberId)
  } catch (error) {
    if (error instanceof DecryptionError) return []
    throw error
  }
}

const also = z.array(text(320, 3)).max(MAX_MARKS).nullish()
const named = z.object({ subscriberId, also })
type Named = z.output<typeof named>

/** Deletes a subscriber, if it exists. @returns the marks of the person. */
async function forget(scope: Scope, { subscriberId, also }: Named): Promise<Person> {
  const { db, environmentId } = scope
  const found = await db.subscriber.findUnique({
    where: { environmentId_subscriberId: { environmentId, subscriberId } },
  })
  const endpoints = await db.channelEndpoint.findMany({
    where: { environmentId, subscriberId },
    select: { endpoint: true },
  })
  const credentials = await readableCredentials(scope, subscriberId)
  if (found !== null) await removeSubscriber(scope, found)
  return personOf(subscriberId, found, endpoints, credentials, also ?? [])
}

async function requestErasure(scope: Scope, all: readonly Named[]): Promise<Erasure> {
  const { db, environmentId, caller } = scope
  const persons: Person[] = []
  await lockSubscribers(
    scope,
    all.map(({ subscriberId }) => subscriberId),
    'delete',
  )
  // The placeholder of a person does not depend on the position in the request.
  const sorted = all.toSorted((one, other) => (one.subscriberId < other.subscriberId ? -1 : 1))
  for (const one of sorted) persons.push(await forget(scope, one))
  const addresses = persons.flatMap(({ own, exact }) => [...own, ...exact])
  await eraseAddresses(scope, addresses, scope.keepsAddressHashes)
  const { marks: _marks, ...erasure } = await db.erasure.create({
    data: {
      environmentId,
      id: scope.newId(),
      marks: sealPersons(scope, persons),
      apiKeyId: 'apiKeyId' in caller ? caller.apiKeyId : null,
      createdAt: scope.now(),
    },
  })
  await enqueue(scope, [{ queue: 'erase', data: { erasureId: erasure.id } }])
  audit(scope, 'erasure requested', { environmentId, erasureId: erasure.id })
  return erasure
}

/**
 * Deletes a subscriber and erases all its traces: its runs, the payloads of events for it alone, and its id, addresses
 * and names in all other events, messages, notifications and stored responses. The jobs take a while; the erasure shows
 * when they have finished. A subscriber that was deleted earlier can also be erased, by its id and other marks.
 */
export const eraseSubscriber = mutation({
  name: 'subscriber.erase',
  permission: 'subscriber:write',
  rate: { category: 'configuration', cost: 100 },
  input: z.object({ ...subscriberReference, also }),
  async run(scope, { subscriberId, id, also }) {
    const reference = referenceOf({ subscriberId }, { id })
    // A subscriber that was deleted has no row, but its subscriberId can be erased.
    const person = 'id' in reference ? await loadSubscriber(scope, reference) : reference
    return requestErasure(scope, [{ subscriberId: person.subscriberId, also }])
  },
})

/** Erases several persons in one pass over the rows, because most of the time of an erasure is spent reading them. */
export const eraseSubscribers = mutation({
  name: 'subscriber.eraseMany',
  permission: 'subscriber:write',
  rate: { category: 'configuration', cost: 100 },
  input: z.object({ subscribers: z.array(named).min(1).max(MAX_PERSONS) }),
  run: (scope, { subscribers }) => requestErasure(scope, subscribers),
})
