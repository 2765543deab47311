// A row of an import of suppressions: which column has which field, and how its cells are read. The gateway checks them.
import { contextInputs, contextKeysError } from '../../parts/form/context-keys-input.tsx'
import type { SuppressionItem } from './import-mutation.ts'
import { addressChannelOptions, suppressionReasonOptions } from '../../parts/suppression-labels.ts'

/** The names of each field's column, in letters: those of the list on this page, and those of the command line. */
const names = {
  channel: ['channel'],
  address: ['address'],
  reason: ['reason'],
  detail: ['detail'],
  integrationIdentifier: ['integration', 'integrationidentifier'],
  contexts: ['contexts', 'context', 'onlyfor'],
  expiresAt: ['until', 'ends', 'expiresat'],
} as const

type Field = keyof typeof names

/** The position of each field's column. */
export type Columns = Readonly<Partial<Record<Field, number>>>

const isField = (name: string): name is Field => Object.hasOwn(names, name)

/** Finds the columns by their names, ignoring case and punctuation. Other columns are left out. */
export function columnsOf(header: readonly string[]): Columns {
  const bare = header.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''))
  const columns: Partial<Record<Field, number>> = {}
  for (const field of Object.keys(names).filter(isField)) {
    const known: readonly string[] = names[field]
    const position = bare.findIndex((name) => known.includes(name))
    if (position !== -1) columns[field] = position
  }
  return columns
}

/** Returns why a file cannot be imported, or null. */
export function columnsError({ channel, address }: Columns): string | null {
  if (channel === undefined) return 'The file has no column named channel.'
  return address === undefined ? 'The file has no column named address.' : null
}

/** Reads contexts: keys with spaces between them, or an object such as `{"tenant":"acme"}`. @throws SyntaxError */
function readContexts(cell: string) {
  const value: unknown = cell.startsWith('{') ? JSON.parse(cell) : cell.split(/\s+/)
  const keys = Array.isArray(value) ? value.map(String) : keysOf(value)
  const error = contextKeysError(keys)
  if (error !== null) throw new SyntaxError(error)
  return contextInputs(keys)
}

function keysOf(value: unknown): string[] {
  const found: Record<string, unknown> = typeof value === 'object' ? { ...value } : {}
  return Object.entries(found).map(([type, identifier]) => `${type}:${String(identifier)}`)
}

/** Reads a row. An empty cell has no value. @returns the item, or why there is none. */
export function readSuppression(cells: readonly string[], columns: Columns): SuppressionItem | string {
  const cellOf = (field: Field) => {
    const position = columns[field]
    return position === undefined ? '' : (cells[position] ?? '').trim()
  }
  const named = (cell: string) => cell.toUpperCase().replaceAll('-', '_')
  const channel = addressChannelOptions.find(({ value }) => value === named(cellOf('channel')))?.value
  if (channel === undefined) return `channel must be email or sms, not ${JSON.stringify(cellOf('channel'))}`
  const reason = suppressionReasonOptions.find(({ value }) => value === named(cellOf('reason')))?.value
  if (reason === undefined && cellOf('reason') !== '') {
    const allowed = suppressionReasonOptions.map(({ value }) => value.toLowerCase()).join(', ')
    return `reason must be one of ${allowed}, not ${JSON.stringify(cellOf('reason'))}`
  }
  try {
    return {
      channel,
      address: cellOf('address'),
      reason: reason ?? null,
      detail: cellOf('detail') || null,
      integrationIdentifier: cellOf('integrationIdentifier') || null,
      contexts: cellOf('contexts') === '' ? null : readContexts(cellOf('contexts')),
      expiresAt: cellOf('expiresAt') || null,
    }
  } catch (error) {
    return `contexts cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}
