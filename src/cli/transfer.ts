// What can be imported and exported: its columns, how items are written, and how all of them are read.
import type { Scope } from '../domain/resolver/scope.ts'

export interface TransferColumn {
  /** True if every item has a value. */
  readonly required?: true
  /** True for JSON. A cell of a CSV file has its text. */
  readonly json?: true
  /** True if it is never exported. */
  readonly secret?: true
}

/** An item by the names of its columns. */
export type Item = Readonly<Record<string, unknown>>

export interface ItemFailure {
  /** Index in the written items. */
  readonly index: number
  /** The field, and why it is invalid. */
  readonly message: string
}

export interface Written {
  readonly created: number
  /** Items that existed. */
  readonly existing: number
  readonly failed: readonly ItemFailure[]
}

/** The items of one noun. */
export interface Transfer {
  /** The plural of the noun, for people. */
  readonly unit: string
  readonly columns: Readonly<Record<string, TransferColumn>>
  /** The number of items in one write. */
  readonly batch: number
  /** The treatment of existing items by an import. */
  readonly existing: 'updated' | 'unchanged'
  /** Writes items. An invalid one fails alone. Writing the same items again changes nothing. */
  write(scope: Scope, items: readonly Item[]): Promise<Written>
  /** Reads all items, oldest first, in portions. Memory does not grow with their number. */
  read(scope: Scope): AsyncGenerator<readonly Item[]>
}
