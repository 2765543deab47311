// Conditions of filters by channel and provider, with one value or several.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { providerId, type ProviderId } from './provider-id.ts'

const channel = z.enum(Channel)

/** The fields of a filter. */
export const providerConditions = {
  channel,
  channels: severalOf(channel),
  providerId,
  providerIds: severalOf(providerId),
}

interface Given {
  readonly channel?: Channel | undefined
  readonly channels?: readonly Channel[] | undefined
  readonly providerId?: ProviderId | undefined
  readonly providerIds?: readonly ProviderId[] | undefined
}

/** The values that match. Undefined for any. */
export const providerValues = (given: Given) => ({
  channel: valuesOf(given.channel, given.channels),
  providerId: valuesOf(given.providerId, given.providerIds),
})
