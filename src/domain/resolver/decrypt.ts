// Decrypts a secret of a row, and names the row if that fails.
import type { EnvironmentScope } from './scope.ts'

/** A secret's key is missing, or the secret was changed. */
export class DecryptionError extends Error {
  /** The noun and its identifier. */
  readonly owner: string

  constructor(owner: string, cause: unknown) {
    super(`the secrets of the ${owner} cannot be decrypted`, { cause })
    this.owner = owner
  }
}

/**
 * @param owner the noun and its identifier.
 * @throws DecryptionError that names the owner.
 */
export function decryptOf(
  owner: string,
  { cipher, environmentId }: Pick<EnvironmentScope, 'cipher' | 'environmentId'>,
  secret: string,
): string {
  try {
    return cipher.decrypt(secret, environmentId)
  } catch (cause) {
    throw new DecryptionError(owner, cause)
  }
}

/** Returns the secrets that `open` decrypts. Undefined if that fails; the sender of the message logs the error. */
export function ifDecryptable<Secrets>(open: () => Secrets): Secrets | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof DecryptionError) return undefined
    throw error
  }
}
