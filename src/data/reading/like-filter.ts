// Case-insensitive search in text columns, by indexes.
import { Prisma } from '../prisma/client.ts'

const escaped = (part: string) => part.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** The pattern of texts that contain `part`. `%`, `_` and `\` match themselves. */
export const containing = (part: string) => `%${escaped(part)}%`

/**
 * A trigram index helps only if the text has three consecutive letters or digits. Otherwise the whole index would be
 * read.
 */
const hasTrigram = (part: string) => /[\p{L}\p{N}]{3}/u.test(part)

/**
 * A condition on `child`, with a leading AND: a column contains `part`. A part without three consecutive letters or
 * digits must be the beginning of a column. `%`, `_` and `\` match themselves.
 *
 * @param substring columns with a trigram index.
 * @param prefix columns with an index on `lower(column) text_pattern_ops`.
 */
export function searchFor(
  part: string | undefined,
  { substring, prefix }: { readonly substring: readonly string[]; readonly prefix: readonly string[] },
): Prisma.Sql {
  if (!part) return Prisma.empty
  const alternatives = hasTrigram(part)
    ? substring.map((column) => Prisma.sql`child.${Prisma.raw(column)} ILIKE ${containing(part)}`)
    : prefix.map((column) => Prisma.sql`lower(child.${Prisma.raw(column)}) LIKE lower(${`${escaped(part)}%`})`)
  return Prisma.sql`AND (${Prisma.join(alternatives, ' OR ')})`
}

/**
 * Conditions on `child`, each with a leading AND: a column has exactly this value, case-insensitive. The columns need
 * an index on `lower`.
 */
export function exactly(values: Readonly<Record<string, string | undefined>>): Prisma.Sql {
  const given = Object.entries(values).flatMap(([column, value]) => {
    const name = Prisma.raw(`child.${column}`)
    return value === undefined ? [] : [Prisma.sql`AND lower(${name}) = lower(${value}) AND ${name} = ${value}`]
  })
  return given.length === 0 ? Prisma.empty : Prisma.join(given, ' ')
}
