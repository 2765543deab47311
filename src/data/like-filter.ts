// Case-insensitive substring search.

/** A Prisma filter that uses the trigram indexes. `%`, `_` and `\` match themselves. */
export function contains(part: string) {
  return { contains: part.replaceAll(/[\\%_]/g, String.raw`\$&`), mode: 'insensitive' } as const
}
