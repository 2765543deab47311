// Versions of objects that several people edit: a change names the version it is based on, so that none is lost.
import { z } from 'zod'
import { Refusal } from '../../lib/errors.ts'

/** The version that the caller has read, at most what the column holds. Absent or null allows any version. */
export const expectedVersion = z.int32().nullish().meta({
  description: 'The version that the change is based on. If the object has changed since, nothing is written.',
})

/** The condition of a statement that changes an object only in the version that the caller expects. */
export const inVersion = (expected: number | null | undefined): { readonly version?: number } =>
  typeof expected === 'number' ? { version: expected } : {}

/**
 * @param present undefined if the object does not exist, which is not an error here.
 * @throws Refusal `STALE` if the present version is another one than the caller expects.
 */
export function assertVersion(name: string, expected: number | null | undefined, present: number | undefined): void {
  if (typeof expected !== 'number' || present === undefined || expected === present) return
  const message = `${name} has changed: expected version ${expected}, but the present version is ${present}`
  throw new Refusal('STALE', message, {
    issues: [{ path: ['expectedVersion'], message, value: expected }],
    ctx: { expectedVersion: expected, presentVersion: present },
  })
}
