// The templates in the custom data of an in-app step: its strings, at any depth.
import { hasMarkup } from '../../evaluation/template.ts'
import type { Path } from '../../lib/errors.ts'
import { type Json, type JsonObject, jsonObject } from '../../lib/validation.ts'

/** Maximum number of strings with templates. Others are not counted. */
export const MAX_DATA_TEMPLATES = 100

interface DataTemplate {
  readonly path: Path
  readonly text: string
}

/** Returns the strings with templates in `value`, which is at `path`. */
export function dataTemplates(value: Json, path: Path): readonly DataTemplate[] {
  if (typeof value === 'string') return hasMarkup(value) ? [{ path, text: value }] : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => dataTemplates(item, [...path, index]))
  return Object.entries(value).flatMap(([key, item]) => dataTemplates(item, [...path, key]))
}

/** Returns the data with each string replaced for which `textAt` has a text. */
export function filledData(data: JsonObject, path: Path, textAt: (path: Path) => string | undefined): JsonObject {
  const filled = (value: Json, here: Path): Json => {
    if (typeof value === 'string') return textAt(here) ?? value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item, index) => filled(item, [...here, index]))
    return filledData(value, here, textAt)
  }
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, filled(value, [...path, key])]))
}

/** The input schema of custom data with templates. */
export const templatedData: ReturnType<typeof jsonObject> = jsonObject().check(({ value, issues }) => {
  // The data was already rejected, and may be too deep to walk.
  if (issues.length > 0 || dataTemplates(value, []).length <= MAX_DATA_TEMPLATES) return
  issues.push({ code: 'custom', message: `must have at most ${MAX_DATA_TEMPLATES} templates`, input: value })
})
