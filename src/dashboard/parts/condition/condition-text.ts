// The text of a condition while it is edited, and what happens to it when a part is removed or comes back.
import { formatJson, parseJsonObject } from '../form/json-object.ts'
import { type Group, groupOf, isGroup, type Item, type Path, ruleOf, withItem, withReturned } from './condition.ts'

/** Returns the condition as the form shows it. Undefined if the text is not JSON or is too complex for the form. */
export function groupInText(text: string): Group | undefined {
  try {
    return groupOf(parseJsonObject(text))
  } catch {
    return undefined
  }
}

export const textOf = (group: Group): string => formatJson(ruleOf(group))

const itemAt = (group: Group, [index = 0, ...rest]: Path): Item | undefined => {
  const item = group.items[index]
  return rest.length === 0 || item === undefined || !isGroup(item) ? item : itemAt(item, rest)
}

/**
 * Removes a part.
 *
 * @returns the text without it, and a function that brings it back into the text of then, which may have changed since.
 */
export function removed(before: string, group: Group, path: Path): [after: string, bringBack: (now: string) => string] {
  const item = itemAt(group, path)
  const after = textOf(withItem(group, path, undefined))
  const bringBack = (now: string) => {
    if (now === after || item === undefined) return before
    const current = groupInText(now)
    return current === undefined ? now : textOf(withReturned(current, path, item))
  }
  return [after, bringBack]
}
