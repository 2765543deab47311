// Says why the rich-text editor is not shown, and offers to rewrite the HTML if nothing would be lost.
import { Alert, Button, Group } from '@mantine/core'
import type { ReadHtml } from './read-html.ts'

/** A sentence names no more things than these. */
const MAX_NAMED = 4

function listOf(things: readonly string[]): string {
  const more = things.length - MAX_NAMED
  const named = more > 1 ? [...things.slice(0, MAX_NAMED), `${more} more`] : things
  return named.length === 1 ? (named[0] ?? '') : `${named.slice(0, -1).join(', ')} and ${named.at(-1) ?? ''}`
}

interface ViewNoticeProps {
  /** True if the editor could not be loaded. */
  readonly hasFailed: boolean
  /** What prevents the editor from showing the HTML. */
  readonly found: ReadHtml | undefined
  readonly onRewrite: () => void
}

export function ViewNotice({ hasFailed, found, onRewrite }: ViewNoticeProps) {
  if (hasFailed) {
    return <Alert role="alert">The rich-text editor was not loaded. Check the connection, and choose it again.</Alert>
  }
  if (found === undefined) return null
  if (found.obstacles.length > 0) {
    return (
      <Alert role="alert" className="wrap-anywhere">
        Rich text cannot represent {listOf(found.obstacles)}, so this email stays HTML.
      </Alert>
    )
  }
  return (
    <Alert role="alert" className="wrap-anywhere">
      <Group justify="space-between">
        <span>Rich text would write this HTML differently and keep its content: {listOf(found.rewrites)}.</span>
        <Button size="xs" variant="default" onClick={onRewrite}>
          Change it and edit
        </Button>
      </Group>
    </Alert>
  )
}
