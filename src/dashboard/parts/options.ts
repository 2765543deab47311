// The options of a select, from a table of labels.

export interface Option<Value extends string> {
  readonly value: Value
  readonly label: string
}

type Label = string | { readonly label: string }

/** Returns one option for each entry, in the order of the table. */
export function optionsOf<Value extends string>(table: Readonly<Record<Value, Label>>): readonly Option<Value>[] {
  const isValue = (key: string): key is Value => Object.hasOwn(table, key)
  const labelOf = (entry: Label) => (typeof entry === 'string' ? entry : entry.label)
  return Object.keys(table)
    .filter(isValue)
    .map((value) => ({ value, label: labelOf(table[value]) }))
}
