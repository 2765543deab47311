// Encryption of secrets at rest: AES-256-GCM with a key ring. The newest key encrypts, all keys decrypt.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** Maximum number of decrypted signing keys in memory. One takes less than 1 kB. */
const MAX_SIGNING_KEYS = 5_000

interface Key {
  readonly id: string
  readonly bytes: Buffer
}

/**
 * Encrypts with the newest key and decrypts with the key that the ciphertext names.
 *
 * A ciphertext has the form `<key id>.<base64url of iv, tag and text>`. `owner`, usually an environment id, is
 * authenticated: a ciphertext copied into another environment's row does not decrypt.
 */
export class Cipher {
  readonly #newest: Key
  readonly #keys: ReadonlyMap<string, Key>
  /** By owner and ciphertext, so that a ciphertext copied to another owner is not found. */
  readonly #signingKeys = new LRUCache<string, KeyObject>({ max: MAX_SIGNING_KEYS })

  /** @param ring `<id>:<base64 of 32 bytes>`, comma-separated, newest first. @throws Error if the ring is invalid. */
  constructor(ring: string) {
    const keys = ring.split(',').map((entry) => readKey(entry.trim()))
    const [newest] = keys
    if (newest === undefined) throw new Error('the key ring is empty')
    this.#newest = newest
    this.#keys = new Map(keys.map((key) => [key.id, key]))
    if (this.#keys.size < keys.length)
      throw new Error('two keys of the key ring have the same id: each must have an id of its own')
  }

  /** The id of the key that encrypts. */
  get newestKeyId(): string {
    return this.#newest.id
  }

  /**
   * A value that distinguishes keys with the same id and from which the key cannot be computed. Undefined without the
   * key.
   */
  checkValue(keyId: string): string | undefined {
    const key = this.#keys.get(keyId)
    return key && createHmac('sha256', key.bytes).update('check value').digest('hex')
  }

  encrypt(text: string, owner: string): string {
    return this.#encrypt(text, owner, randomBytes(IV_BYTES))
  }

  /** Encrypts the same text of the same owner to the same ciphertext, as long as the newest key is the same. */
  encryptSame(text: string, owner: string): string {
    const hash = createHmac('sha256', this.#newest.bytes)
      .update(JSON.stringify(['iv', owner, text]))
      .digest()
    return this.#encrypt(text, owner, hash.subarray(0, IV_BYTES))
  }

  #encrypt(text: string, owner: string, iv: Buffer): string {
    const cipher = createCipheriv('aes-256-gcm', this.#newest.bytes, iv).setAAD(Buffer.from(owner))
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return `${this.#newest.id}.${Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')}`
  }

  /** @throws Error if the key is not in the ring or the ciphertext was changed. */
  decrypt(ciphertext: string, owner: string): string {
    const id = keyIdOf(ciphertext)
    const key = this.#keys.get(id)
    if (key === undefined) throw new Error(`the key ring lacks the key "${id}", which a secret is encrypted with`)
    const encoded = ciphertext.slice(id.length + 1)
    const bytes = Buffer.from(encoded, 'base64url')
    try {
      // Base64 has several spellings of the same bytes and skips unknown characters.
      if (bytes.toString('base64url') !== encoded) throw new Error('it is not canonical base64url')
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    } catch (cause) {
      throw new Error(`a secret does not decrypt with the key "${id}": the secret or the key was changed`, { cause })
    }
  }

  /**
   * Decrypts a signing secret and keeps it in memory, because a request with a guessed signature needs every key of its
   * environment. A key object holds it outside the heap, so that it appears in no heap snapshot and no log.
   *
   * Each time, the caller must check in the database that the secret is still in use.
   *
   * @throws Error like `decrypt`.
   */
  signingKey(ciphertext: string, owner: string): KeyObject {
    const name = `${owner} ${ciphertext}`
    const kept = this.#signingKeys.get(name)
    if (kept !== undefined) return kept
    const key = createSecretKey(this.decrypt(ciphertext, owner), 'utf8')
    this.#signingKeys.set(name, key)
    return key
  }
}

/** Returns the id of the key of a ciphertext. */
function keyIdOf(ciphertext: string): string {
  return ciphertext.slice(0, Math.max(ciphertext.indexOf('.'), 0))
}

function readKey(entry: string): Key {
  const match = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]+={0,2})$/.exec(entry)
  const [, id, encoded] = match ?? []
  if (id === undefined || encoded === undefined)
    throw new Error('a key must have the form <id>:<base64>, where the id has letters, digits, - and _')
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length !== KEY_BYTES) throw new Error(`key "${id}" must have ${KEY_BYTES} bytes, and has ${bytes.length}`)
  return { id, bytes }
}

/**
 * Returns a ring with one new key. Error messages contain the key's id, so that the operator can see which key is
 * missing.
 */
export function newKeyRing(id = `k${Date.now().toString(36)}`): string {
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`
}
