// API keys as commands show them: without their secret.
import type { ShownApiKey } from '../domain/access/api-key.ts'

/** Returns the JSON of a key. */
export const keyResult = (
  { id, name, access, hint, createdAt, revokedAt }: ShownApiKey,
  environment: { readonly id: string; readonly name: string },
) => ({ id, environment, name, access, hint, createdAt, revokedAt })
