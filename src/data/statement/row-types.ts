// Parses the values of rows that statements return.
import pg from 'pg'

type Read = (text: string) => unknown

const TIMESTAMPTZ: number = pg.types.builtins.TIMESTAMPTZ

/** Typed here, because pg declares that parsers return `any`. */
const readerOf: (type: number, format?: 'text' | 'binary') => Read = pg.types.getTypeParser
const readAnyTime = readerOf(TIMESTAMPTZ)

/**
 * Reads a time. Sessions are in UTC, so most texts are nearly ISO dates: only two characters differ. Takes half as long
 * as pg's parser.
 */
const readTime: Read = (text) =>
  text.endsWith('+00') && text[10] === ' ' ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : readAnyTime(text)

/** The parsers of pg, with a faster one for times. */
export const rowTypes: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === TIMESTAMPTZ && format !== 'binary' ? readTime : readerOf(type, format),
}
