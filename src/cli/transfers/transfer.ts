// The nouns that can be imported and exported: their columns, and how to write and read their items.
import type { Scope } from '../../domain/resolver/scope.ts'

export interface TransferColumn {
  /** True if the value is required. */
  readonly required?: true
  /** True if the value is JSON. In a CSV file, the cell contains its text. */
  readonly json?: true
  /** True if the value is never exported. */
  readonly secret?: true
}

/** An item by column name. */
export type Item = Readonly<Record<string, unknown>>

export interface ItemFailure {
  /** The index in the written items. */
  readonly index: number
  /** The field, and why it is invalid. */
  readonly message: string
}

export interface Written {
  readonly created: number
  /** The number of items that existed already. */
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
  /** What an import does with existing items. */
  readonly existing: 'updated' | 'unchanged'
  /** Writes items. An invalid one fails alone. Writing the same items again changes nothing. */
  write(scope: Scope, items: readonly Item[]): Promise<Written>
  /** Reads all items, oldest first, in portions. Memory use does not depend on their number. */
  read(scope: Scope): AsyncGenerator<readonly Item[]>
}
