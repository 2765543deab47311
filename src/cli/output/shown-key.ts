// API keys as commands show them, without their secret.
import type { ShownApiKey } from '../../domain/access/api-key.ts'

/** Returns a key as JSON. */
export const keyResult = (
  { id, name, access, hint, createdAt, lastUsedAt, revokedAt }: ShownApiKey,
  environment: { readonly id: string; readonly name: string },
) => ({ id, environment, name, access, hint, createdAt, lastUsedAt, revokedAt })
