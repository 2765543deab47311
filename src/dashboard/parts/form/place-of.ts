// The place of an item in a list that is edited meanwhile.

interface Item {
  /** Identifies the item on the page. */
  readonly uid: string
}

/** Returns the index of the item in the list of now. -1 if it was removed. */
export const placeOf = (items: readonly Item[], item: Item | undefined): number =>
  items.findIndex(({ uid }) => uid === item?.uid)
