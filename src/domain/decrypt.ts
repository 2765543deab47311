// Decrypts a secret of a row, and names the row if that fails.
import type { EnvironmentScope } from './scope.ts'

/**
 * @param owner the noun and its identifier, for the log.
 * @throws Error that names the owner if the key is missing or the secret was changed.
 */
export function decryptOf(
  owner: string,
  { cipher, environmentId }: Pick<EnvironmentScope, 'cipher' | 'environmentId'>,
  secret: string,
): string {
  try {
    return cipher.decrypt(secret, environmentId)
  } catch (cause) {
    throw new Error(`the secrets of the ${owner} cannot be decrypted`, { cause })
  }
}
