// The access of API keys and sessions: its names, and what each allows.
import type { graphql } from '../graph/graphql.ts'

export type Access = ReturnType<typeof graphql.scalar<'ApiKeyAccess'>>

/** The most common access first. */
export const accesses = {
  FULL: {
    label: 'Full',
    description: 'Reads and writes everything in its environment, and manages the environments created with its keys.',
  },
  READ_ONLY: {
    label: 'Read-only',
    description: 'Reads everything, including the decrypted secrets of channel endpoints. Writes nothing.',
  },
  ADMIN: {
    label: 'Admin',
    description: 'Full access. Also manages all environments of the organization and creates other admin keys.',
  },
} as const satisfies Record<Access, { readonly label: string; readonly description: string }>
