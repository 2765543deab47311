// Encryption of stored secrets with a key ring.
import { describe, expect, test } from 'vitest'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'

const oldKey = newKeyRing('old')
const newKey = newKeyRing('new')
const ada = 'the environment of Ada'
const grace = 'the environment of Grace'

describe('a rotated key ring', () => {
  const before = new Cipher(oldKey).encrypt('a token', ada)
  const rotated = new Cipher(`${newKey}, ${oldKey}`)

  test('decrypts with an older key', () => {
    expect(rotated.decrypt(before, ada)).toBe('a token')
  })

  test('encrypts with the newest key', () => {
    const after = rotated.encrypt('a token', ada)
    expect(after).toMatch(/^new\./)
    expect(new Cipher(newKey).decrypt(after, ada)).toBe('a token')
  })

  test('names a key that was removed too early', () => {
    expect(() => new Cipher(newKey).decrypt(before, ada)).toThrow(
      'the key ring lacks the key "old", which a secret is encrypted with',
    )
  })
})

describe('a signing key', () => {
  const cipher = new Cipher(`${newKey}, ${oldKey}`)
  const stored = cipher.encrypt('a token', ada)

  test('is decrypted only once', () => {
    const key = cipher.signingKey(stored, ada)
    expect(key.export().toString()).toBe('a token')
    expect(cipher.signingKey(stored, ada)).toBe(key)
  })

  test('that is kept does not decrypt for another owner', () => {
    cipher.signingKey(stored, ada)
    expect(() => cipher.signingKey(stored, grace)).toThrow('a secret does not decrypt with the key "new"')
  })

  test('is decrypted again after it was encrypted again', () => {
    const key = cipher.signingKey(stored, ada)
    const again = cipher.signingKey(cipher.encrypt('a token', ada), ada)
    expect(again).not.toBe(key)
    expect(again.equals(key)).toBe(true)
  })
})

describe('a secret', () => {
  const cipher = new Cipher(oldKey)
  const secret = cipher.encrypt('a token', ada)
  const refusal = 'a secret does not decrypt with the key "old": the secret or the key was changed'

  test.each(['', 'a token', 'Grüße, 世界 🔔'])('decrypts to its original text: %j', (text) => {
    expect(cipher.decrypt(cipher.encrypt(text, ada), ada)).toBe(text)
  })

  test('is encrypted differently every time', () => {
    expect(cipher.encrypt('a token', ada)).not.toBe(secret)
  })

  test('does not decrypt for another environment', () => {
    expect(() => cipher.decrypt(secret, grace)).toThrow(refusal)
  })

  test('does not decrypt with another key of the same id', () => {
    expect(() => new Cipher(newKeyRing('old')).decrypt(secret, ada)).toThrow(refusal)
  })

  test('does not decrypt when any byte is changed', () => {
    const bytes = Buffer.from(secret.slice('old.'.length), 'base64url')
    for (const [index, byte] of bytes.entries()) {
      const changed = Buffer.from(bytes)
      changed[index] = byte ^ 1
      expect(() => cipher.decrypt(`old.${changed.toString('base64url')}`, ada)).toThrow(refusal)
    }
  })

  test('does not decrypt when its encoding is not canonical', () => {
    for (const spelled of [`${secret}=`, `${secret} `, secret.replace('.', '.!')]) {
      expect(() => cipher.decrypt(spelled, ada)).toThrow(refusal)
    }
  })

  test('does not decrypt when it is truncated', () => {
    const bytes = Buffer.from(secret.slice('old.'.length), 'base64url')
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => cipher.decrypt(`old.${bytes.subarray(0, length).toString('base64url')}`, ada)).toThrow(refusal)
    }
  })
})

describe('a key ring', () => {
  const short = Buffer.alloc(16).toString('base64')

  test.each([
    ['without an id', 'c2VjcmV0', 'a key must have the form <id>:<base64>'],
    ['with an empty entry', `${oldKey},`, 'a key must have the form <id>:<base64>'],
    ['with an id of other characters', `o.d:${short}`, 'a key must have the form <id>:<base64>'],
    ['with a key that is too short', `old:${short}`, 'key "old" must have 32 bytes, and has 16'],
    ['with two keys of one id', `${oldKey},${newKeyRing('old')}`, 'two keys of the key ring have the same id'],
  ])('%s is rejected', (_name, ring, message) => {
    expect(() => new Cipher(ring)).toThrow(message)
  })

  test('never appears in an error message', () => {
    const secret = 'deadbeef'.repeat(8)
    expect(() => new Cipher(secret)).not.toThrow(secret)
    expect(() => new Cipher(`old:${secret}`)).not.toThrow(secret)
  })
})
