// The name of a subscriber, as the page shows it.

interface Named {
  readonly firstName: string | null
  readonly lastName: string | null
}

/** Returns the first and the last name, or null if neither is known. */
export function personName({ firstName, lastName }: Named): string | null {
  const name = [firstName, lastName].filter((part) => part !== null && part !== '').join(' ')
  return name === '' ? null : name
}
