// Events without the persons that an erasure removes.
import type { SuspectRow } from '../../data/erasure/person-search.ts'
import type { Person } from '../../domain/erasure/erasure.ts'
import { storedRecipients } from '../../domain/trigger/recipient.ts'

/** An event without persons: without its content if it was for them alone, and with an id that stays unique. */
export function eventWithout(
  persons: readonly Person[],
  row: SuspectRow,
  erased: Readonly<Record<string, unknown>>,
): SuspectRow['found'] {
  const { key, found } = row
  const isAlone = isForOnly(persons, row)
  const isSame = erased['transaction_id'] === found['transaction_id']
  return {
    ...erased,
    ...(isAlone && { payload: {}, overrides: {} }),
    transaction_id: isSame ? found['transaction_id'] : `erased-${key.join()}`,
  }
}

/** True if a trigger names one or more of these persons and nobody else. */
export function isForOnly(persons: readonly Person[], { found }: Pick<SuspectRow, 'found'>): boolean {
  const ids = new Set(persons.map(({ subscriberId }) => subscriberId))
  const named = storedRecipients.parse(found['recipients'])
  return named.length > 0 && named.every((one) => 'subscriberId' in one && ids.has(one.subscriberId))
}
