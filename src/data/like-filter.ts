// Search for a part of a text, in whichever case.

/** A Prisma filter that the trigram indexes serve. What the caller types is taken literally, `%` and `_` too. */
export function contains(part: string) {
  return { contains: part.replaceAll(/[\\%_]/g, String.raw`\$&`), mode: 'insensitive' } as const
}
