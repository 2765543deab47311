// Ids in 22 instead of 36 characters, for links.

export const shortId = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

/** Returns the id of a short one. */
export function longId(short: string): string {
  const digits = Buffer.from(short, 'base64url').toString('hex')
  const groups = [[0, 8], [8, 12], [12, 16], [16, 20], [20]]
  return groups.map(([start, end]) => digits.slice(start, end)).join('-')
}
