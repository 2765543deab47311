// The names of the channels and reasons of suppressions.
import type { graphql } from '../graph/graphql.ts'
import { optionsOf } from './options.ts'

export type AddressChannel = ReturnType<typeof graphql.scalar<'AddressChannel'>>
export type SuppressionReason = ReturnType<typeof graphql.scalar<'SuppressionReason'>>

export const addressChannels = { EMAIL: 'Email', SMS: 'SMS' } as const satisfies Record<AddressChannel, string>

export const suppressionReasons = {
  HARD_BOUNCE: 'Hard bounce',
  SOFT_BOUNCES: 'Soft bounces',
  COMPLAINT: 'Complaint',
  INVALID_ADDRESS: 'Invalid address',
  PROVIDER: 'List of the provider',
  SMS_KEYWORD: 'STOP by SMS',
  MANUAL: 'Manual',
  IMPORT: 'Import',
} as const satisfies Record<SuppressionReason, string>

export const addressChannelOptions = optionsOf<AddressChannel>(addressChannels)
export const suppressionReasonOptions = optionsOf<SuppressionReason>(suppressionReasons)
