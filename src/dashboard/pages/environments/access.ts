// The access of an API key, in the words of the page.

export type Access = 'ADMIN' | 'FULL' | 'READ_ONLY'

interface AccessChoice {
  readonly label: string
  readonly description: string
}

/** What each access allows, from the usual to the rarest. */
export const accesses: Readonly<Record<Access, AccessChoice>> = {
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
}
