// The ways by which preferences are changed, and who changes them.
import type { graphql } from '../../graph/graphql.ts'

export type ConsentSource = ReturnType<typeof graphql.scalar<'PreferenceChangeSource'>>

export const consentSources = {
  API: { label: 'API or dashboard', actor: 'Your application or team' },
  SESSION: { label: 'Browser session', actor: 'The subscriber' },
  ONE_CLICK: { label: 'One-click unsubscribe', actor: 'The subscriber' },
  PREFERENCE_PAGE: { label: 'Preference page', actor: 'The subscriber' },
  SMS_KEYWORD: { label: 'SMS reply', actor: 'The subscriber' },
  COMPLAINT: { label: 'Complaint', actor: 'The subscriber' },
  COMMAND_LINE: { label: 'Command line', actor: 'The operator' },
} as const satisfies Record<ConsentSource, { readonly label: string; readonly actor: string }>
