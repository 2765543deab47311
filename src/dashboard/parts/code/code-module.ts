// Loads the code editor on demand: it is half as large as the rest of the page, and is needed only to write.
import { onDemand } from '../on-demand.ts'
import type { CodeMirror } from './code-mirror.tsx'

const [start, useLoading] = onDemand(async () => (await import('./code-mirror.tsx')).CodeMirror)

/** Starts to load the editor. A failure is tried again by the next call; until then, the plain fields work. */
export const loadCodeMirror = start

/** The editor of code fields, once it is loaded. All fields then use it. */
export function useCodeMirror(): typeof CodeMirror | undefined {
  const loading = useLoading()
  return loading.state === 'loaded' ? loading.value : undefined
}
