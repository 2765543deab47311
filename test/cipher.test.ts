// Secrets at rest: what the key ring promises.
import { describe, expect, test } from 'vitest'
import { Cipher, newKeyRing } from '../src/lib/cipher.ts'

const oldKey = newKeyRing('old')
const newKey = newKeyRing('new')
const ada = 'the environment of Ada'
const grace = 'the environment of Grace'

describe('rotation', () => {
  const before = new Cipher(oldKey).encrypt('a token', ada)
  const rotated = new Cipher(`${newKey}, ${oldKey}`)

  test('what an older key encrypted still decrypts', () => {
    expect(rotated.decrypt(before, ada)).toBe('a token')
  })

  test('the newest key encrypts', () => {
    const after = rotated.encrypt('a token', ada)
    expect(after).toMatch(/^new\./)
    expect(new Cipher(newKey).decrypt(after, ada)).toBe('a token')
  })

  test('a key that was taken out of the ring too early is named', () => {
    expect(() => new Cipher(newKey).decrypt(before, ada)).toThrow(
      'the key ring lacks the key "old", which a secret is encrypted with',
    )
  })
})

describe('a secret', () => {
  const cipher = new Cipher(oldKey)
  const secret = cipher.encrypt('a token', ada)
  const refusal = 'a secret does not decrypt with the key "old": the secret or the key was changed'

  test.each(['', 'a token', 'Grüße, 世界 🔔'])('comes back as it was: %j', (text) => {
    expect(cipher.decrypt(cipher.encrypt(text, ada), ada)).toBe(text)
  })

  test('is never written the same way twice', () => {
    expect(cipher.encrypt('a token', ada)).not.toBe(secret)
  })

  test('does not decrypt for another environment', () => {
    expect(() => cipher.decrypt(secret, grace)).toThrow(refusal)
  })

  test('does not decrypt under another key of the same id', () => {
    expect(() => new Cipher(newKeyRing('old')).decrypt(secret, ada)).toThrow(refusal)
  })

  test('does not decrypt when any of its bytes was changed', () => {
    const bytes = Buffer.from(secret.slice('old.'.length), 'base64url')
    for (const [index, byte] of bytes.entries()) {
      const changed = Buffer.from(bytes)
      changed[index] = byte ^ 1
      expect(() => cipher.decrypt(`old.${changed.toString('base64url')}`, ada)).toThrow(refusal)
    }
  })

  test('does not decrypt when the same bytes are spelled otherwise', () => {
    for (const spelled of [`${secret}=`, `${secret} `, secret.replace('.', '.!')]) {
      expect(() => cipher.decrypt(spelled, ada)).toThrow(refusal)
    }
  })

  test('does not decrypt when it was cut', () => {
    const bytes = Buffer.from(secret.slice('old.'.length), 'base64url')
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => cipher.decrypt(`old.${bytes.subarray(0, length).toString('base64url')}`, ada)).toThrow(refusal)
    }
  })
})

describe('a ring that is wrong is refused by name', () => {
  const short = Buffer.alloc(16).toString('base64')

  test.each([
    ['without an id', 'c2VjcmV0', 'a key must have the form <id>:<base64>'],
    ['with an empty entry', `${oldKey},`, 'a key must have the form <id>:<base64>'],
    ['with an id of other characters', `o.d:${short}`, 'a key must have the form <id>:<base64>'],
    ['with a key that is too short', `old:${short}`, 'key "old" must have 32 bytes, and has 16'],
    ['with two keys of one id', `${oldKey},${newKeyRing('old')}`, 'two keys of the key ring have the same id'],
  ])('%s', (_name, ring, message) => {
    expect(() => new Cipher(ring)).toThrow(message)
  })

  test('and the message never holds a key', () => {
    const secret = 'deadbeef'.repeat(8)
    expect(() => new Cipher(secret)).not.toThrow(secret)
    expect(() => new Cipher(`old:${secret}`)).not.toThrow(secret)
  })
})
