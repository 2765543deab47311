// Loads the rich-text editor on demand, with what reads HTML for it: no page needs it before someone opens it.
import { onDemand } from '../on-demand.ts'

export const [loadRichText, useRichText] = onDemand(async () => (await import('./rich-text.ts')).richText)
