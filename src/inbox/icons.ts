// The icons of the inbox, as outlines of 24 by 24 (Tabler Icons, MIT license).
import { svg, type TemplateResult } from 'lit'

const icon = (path: TemplateResult<2>, size = 18): TemplateResult<2> =>
  svg`<svg viewBox="0 0 24 24" width=${size} height=${size} fill="none" stroke="currentColor" stroke-width="2"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`

export const bellIcon = icon(
  svg`<path d="M10 5a2 2 0 1 1 4 0a7 7 0 0 1 4 6v3a4 4 0 0 0 2 3h-16a4 4 0 0 0 2 -3v-3a7 7 0 0 1 4 -6" /><path d="M9 17v1a3 3 0 0 0 6 0v-1" />`,
  22,
)
export const settingsIcon = icon(
  svg`<path d="M4 6h8" /><path d="M16 6h4" /><path d="M14 4v4" /><path d="M4 12h2" /><path d="M10 12h10" /><path d="M8 10v4" /><path d="M4 18h11" /><path d="M19 18h1" /><path d="M17 16v4" />`,
)
export const backIcon = icon(svg`<path d="M15 6l-6 6l6 6" />`)
export const closeIcon = icon(svg`<path d="M18 6l-12 12" /><path d="M6 6l12 12" />`)
export const readIcon = icon(svg`<path d="M5 12l5 5l10 -10" />`, 16)
export const unreadIcon = icon(svg`<circle cx="12" cy="12" r="4" fill="currentColor" />`, 16)
export const snoozeIcon = icon(svg`<circle cx="12" cy="12" r="9" /><path d="M12 7v5l3 3" />`, 16)
export const returnIcon = icon(svg`<path d="M9 14l-4 -4l4 -4" /><path d="M5 10h11a4 4 0 1 1 0 8h-1" />`, 16)
export const archiveIcon = icon(
  svg`<path d="M4 4h16v4h-16z" /><path d="M5 8v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2 -2v-10" /><path d="M10 12h4" />`,
  16,
)
