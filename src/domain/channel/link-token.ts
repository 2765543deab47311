// The token of a link in a message: what it unsubscribes from, and for whom. Encrypted, so that it can neither be read nor
// changed, and without an end: a link in an old email must still work. It is at most 512 characters long.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import type { Cipher } from '../../lib/cipher.ts'
import { longId, shortId } from './short-id.ts'

/** What a link turns off. A link that only leads to the preferences has none. */
export type LinkScope =
  | { readonly kind: 'workflow'; readonly workflowId: string }
  /** Of the workflow, if the category no longer exists. */
  | { readonly kind: 'category'; readonly workflowId: string; readonly categoryId: string }
  | { readonly kind: 'all'; readonly workflowId: string }

/** The contexts of a link: their keys, or the ids of their rows if the keys are too long. */
export type LinkContexts = { readonly keys: readonly string[] } | { readonly ids: readonly string[] }

export interface Link {
  readonly environmentId: string
  readonly subscriberRowId: string
  readonly contexts: LinkContexts
  readonly scope: LinkScope | null
  /** The channel of the message. Null if the link belongs to no message. */
  readonly channel: Channel | null
  readonly deliveryId: string | null
}

/** Ciphertexts of other secrets are no tokens. */
const OWNER = 'unsubscribe'
/** The format of tokens. A later one must be able to read it. */
const FORMAT = '1'
/** The maximum length of context keys in a token, in characters. With it, a token has at most 512 characters. */
const MAX_KEYS = 200

const MAX_TOKEN = 512

const NONE = '-'

function scopeInShort(scope: LinkScope | null): string {
  if (scope === null) return NONE
  const ids = scope.kind === 'category' ? [scope.workflowId, scope.categoryId] : [scope.workflowId]
  return [scope.kind, ...ids.map(shortId)].join(',')
}

const ids = z.uuid().array()
const channels = z.enum(Channel).nullable()

function readScope(text: string): LinkScope | null {
  const [kind, ...short] = text.split(',')
  const [workflowId = '', categoryId = ''] = short.map(longId)
  if (kind === 'workflow' || kind === 'all') return { kind, workflowId }
  return kind === 'category' ? { kind, workflowId, categoryId } : null
}

/** True if the keys do not fit into a token. Then it has the ids of the contexts. */
export const needsIds = (contextKeys: readonly string[]): boolean => contextKeys.join(',').length > MAX_KEYS

/** Returns the token of a link, the same each time, so that all attempts of a message send the same bytes. */
export function sealLink(cipher: Cipher, link: Link): string {
  const { environmentId, subscriberRowId, contexts, scope, channel, deliveryId } = link
  const fields = [
    FORMAT,
    shortId(environmentId),
    shortId(subscriberRowId),
    deliveryId === null ? NONE : shortId(deliveryId),
    channel ?? NONE,
    scopeInShort(scope),
    'keys' in contexts ? contexts.keys.join(',') : `#${contexts.ids.map(shortId).join(',')}`,
  ]
  return cipher.encryptSame(fields.join(' '), OWNER)
}

const listIn = (text: string) => (text === '' ? [] : text.split(','))

/** Returns the link of a token. Undefined if this gateway has not created it, or if it was changed. */
export function openLink(cipher: Cipher, token: string): Link | undefined {
  if (token.length > MAX_TOKEN) return undefined
  let text: string
  try {
    text = cipher.decrypt(token, OWNER)
  } catch {
    // Strangers can send anything.
    return undefined
  }
  const [format, environment = '', subscriber = '', delivery = NONE, channel = NONE, scope = NONE, contexts = ''] =
    text.split(' ')
  if (format !== FORMAT) return undefined
  return {
    environmentId: longId(environment),
    subscriberRowId: longId(subscriber),
    contexts: contexts.startsWith('#')
      ? { ids: ids.parse(listIn(contexts.slice(1)).map(longId)) }
      : { keys: listIn(contexts) },
    scope: readScope(scope),
    channel: channels.parse(channel === NONE ? null : channel),
    deliveryId: delivery === NONE ? null : longId(delivery),
  }
}
