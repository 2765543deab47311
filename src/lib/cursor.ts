// Cursors: positions in lists, as short opaque texts.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { refuse } from './errors.ts'

/** The orders by time, which every list has. */
export const timeFields = ['createdAt', 'updatedAt'] as const
export type TimeField = (typeof timeFields)[number]

/** The orders by text: the name, the identifier that callers choose, and a position. A list may have them. */
export type TextField = 'name' | 'identifier' | 'position'

export type OrderField = TimeField | TextField

/** The order of a list. The id breaks ties, in the same direction. */
export interface Order {
  readonly field: OrderField
  readonly direction: 'asc' | 'desc'
}

/** A position in a list: the value of the order field, and the id of the row. */
export interface Place {
  /** A time, or the text by which the list sorts. */
  readonly at: Date | string
  readonly id: string
}

/** The list of a cursor. Other lists reject its cursors. */
export interface List {
  /** Plural noun, such as `subscribers`. */
  readonly name: string
  /** The id of the rows' environment. For environments, the id of the organization. */
  readonly ownerId: string
}

/** The cursors of one list in one order. */
export interface Cursors {
  /** Returns 40 characters in an order by time. In an order by text, the length depends on the text. */
  readonly encode: (place: Place) => string
  /** @throws Refusal `MALFORMED` if it is not a cursor, or belongs to another list, order or owner. */
  readonly decode: (text: string, argument: 'after' | 'before') => Place
}

/** The last millisecond of the year 9999. Both databases format later times differently. */
export const MAX_TIME = Date.UTC(10_000, 0) - 1

// The bytes of a cursor: the order field, the list, the time in milliseconds and the id of the row. In an order by text,
// the text follows, and the time is 0.
const TAG_AT = 1
const TIME_AT = 8
const TIME_BYTES = 6
const ID_AT = 14
const TEXT_AT = 30

/** Maximum characters of the text by which a list sorts. What follows does not count. */
export const MAX_SORT_TEXT = 200
const MAX_CURSOR_BYTES = TEXT_AT + 4 * MAX_SORT_TEXT

/** The first byte, by order field. Never `[`, the first byte of a cursor of version 0.1. */
const kinds: Readonly<Record<OrderField, number>> = { createdAt: 1, updatedAt: 2, name: 3, identifier: 4, position: 5 }
const orderFields = ['createdAt', 'updatedAt', 'name', 'identifier', 'position'] as const satisfies OrderField[]

export const isTextField = (field: OrderField): field is TextField => field !== 'createdAt' && field !== 'updatedAt'

/** The parts of a cursor of version 0.1, which were JSON. */
const oldParts = z.tuple([z.string(), z.enum(timeFields), z.uuid(), z.number().int().min(0).max(MAX_TIME), z.uuid()])

/** A parsed cursor. */
interface CursorParts extends Place {
  readonly field: OrderField
  /** True if the cursor belongs to the list for which it was read. */
  readonly isOfList: boolean
}

/** The value of each hexadecimal digit, by its character code. */
const digits = new Uint8Array(128)
for (const digit of '0123456789abcdefABCDEF') digits[digit.charCodeAt(0)] = Number.parseInt(digit, 16)

/** Writes the id of a row, five times as fast as Node's conversion of hexadecimal text. */
function writeUuid(bytes: Buffer, id: string): void {
  const digitAt = (index: number) => digits[id.charCodeAt(index)] ?? 0
  let at = ID_AT
  for (let index = 0; index < id.length; index += 2) {
    if (id[index] === '-') index += 1
    bytes[at] = digitAt(index) * 16 + digitAt(index + 1)
    at += 1
  }
}

const dashed = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

function readAt(bytes: Buffer, field: OrderField): Date | string | undefined {
  if (isTextField(field)) {
    if (bytes.length < TEXT_AT || bytes.length > MAX_CURSOR_BYTES) return undefined
    const text = bytes.toString('utf8', TEXT_AT)
    // The database stores no text with this character.
    return text.includes('\0') ? undefined : text
  }
  const time = bytes.length === TEXT_AT ? bytes.readUIntBE(TIME_AT, TIME_BYTES) : Infinity
  return time > MAX_TIME ? undefined : new Date(time)
}

function readCursor(bytes: Buffer, tag: Buffer): CursorParts | undefined {
  const field = orderFields.find((name) => kinds[name] === bytes[0])
  const at = field && readAt(bytes, field)
  if (field === undefined || at === undefined) return undefined
  return {
    field,
    isOfList: tag.equals(bytes.subarray(TAG_AT, TIME_AT)),
    at,
    id: dashed(bytes.toString('hex', ID_AT, TEXT_AT)),
  }
}

function readOldCursor(bytes: Buffer, list: List): CursorParts | undefined {
  let json: unknown
  try {
    json = JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
  const { data } = oldParts.safeParse(json)
  if (data === undefined) return undefined
  const [name, field, ownerId, time, id] = data
  return { field, isOfList: name === list.name && ownerId === list.ownerId, at: new Date(time), id }
}

/** Returns the cursors of a list, ordered by a field. */
export function cursorsOf(list: List, ordered: OrderField): Cursors {
  // Long enough to distinguish lists. A forged tag can only name another position in the caller's own list.
  const tag = createHash('sha256')
    .update(`${list.name} ${list.ownerId}`)
    .digest()
    .subarray(0, TIME_AT - TAG_AT)
  // The buffer in which each cursor is written. Allocating one per cursor would double the time.
  const bytes = Buffer.alloc(TEXT_AT)
  bytes.writeUInt8(kinds[ordered])
  tag.copy(bytes, TAG_AT)
  return {
    encode({ at, id }) {
      writeUuid(bytes, id)
      if (typeof at === 'string') return Buffer.concat([bytes, Buffer.from(at)]).toString('base64url')
      bytes.writeUIntBE(at.getTime(), TIME_AT, TIME_BYTES)
      return bytes.toString('base64url')
    },
    decode(text, argument) {
      const bytes = Buffer.from(text, 'base64url')
      const read = readCursor(bytes, tag) ?? readOldCursor(bytes, list)
      if (read === undefined) throw refuse('MALFORMED', `${argument} must be a cursor of this list`, argument, text)
      if (!read.isOfList)
        throw refuse(
          'MALFORMED',
          `${argument} must be a cursor of this list: it is one of another list`,
          argument,
          text,
        )
      if (read.field !== ordered) {
        throw refuse(
          'MALFORMED',
          `${argument} must be a cursor of this list in the order by ${ordered}: it is one of the order by ${read.field}`,
          argument,
          text,
        )
      }
      return { at: read.at, id: read.id }
    },
  }
}
