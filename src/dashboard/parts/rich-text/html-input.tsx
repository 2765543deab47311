// A field for the HTML of an email: rich text, or the code. Choosing a view never changes the HTML.
import { Group, Input, SegmentedControl, Stack } from '@mantine/core'
import { type ReactNode, use, useEffect, useId, useMemo, useState } from 'react'
import { CodeEditor } from '../code/code-editor.tsx'
import type { CodeProblem } from '../code/code-language.ts'
import { Loading } from '../loading.tsx'
import { Undo } from '../undo.tsx'
import { loadRichText, useRichText } from './rich-text-module.ts'
import { ViewNotice } from './view-notice.tsx'

type View = 'rich' | 'html'

const views = [
  { value: 'rich', label: 'Rich text' },
  { value: 'html', label: 'HTML' },
] as const satisfies { value: View; label: string }[]

/** Where the browser keeps the view that was used last. */
const KEY = 'notification-gateway email view'

/** The browser may be out of space, or allow no storage. */
function remember(view: View): void {
  try {
    localStorage.setItem(KEY, view)
  } catch {
    // The next field starts as a new browser does.
  }
}

function remembered(): View | undefined {
  try {
    return viewNamed(localStorage.getItem(KEY))
  } catch {
    return undefined
  }
}

const viewNamed = (name: string | null): View | undefined => views.find(({ value }) => value === name)?.value

interface HtmlInputProps {
  readonly label: string
  readonly description: string
  readonly error: ReactNode
  /** Errors with a position in the HTML. */
  readonly problems: readonly CodeProblem[]
  /** The variables to suggest. */
  readonly variables: readonly string[]
  readonly value: string
  readonly onChange: (html: string) => void
  /** Returns the value of now, for an undo. */
  readonly read: () => string
}

export function HtmlInput(props: HtmlInputProps) {
  const { label, description, error, problems, variables, value, onChange, read } = props
  const id = useId()
  const offerUndo = use(Undo)
  const richText = useRichText()
  const [view, setView] = useState<View>(() => remembered() ?? (value === '' ? 'rich' : 'html'))
  /** True if someone chose rich text, and expects a reason if it is not shown. */
  const [isAsked, setAsked] = useState(false)
  /** What the rich-text editor wrote last. */
  const [written, setWritten] = useState<string>()
  useEffect(() => {
    if (view === 'rich') loadRichText()
  }, [view])
  const module = richText.state === 'loaded' ? richText.value : undefined
  const isOwn = value === written
  const found = useMemo(
    () => (view === 'html' || isOwn ? undefined : module?.readHtml(value)),
    [view, isOwn, module, value],
  )
  const isHeldBack = found !== undefined && found.obstacles.length + found.rewrites.length > 0
  const isHtml = view === 'html' || richText.state === 'failed' || isHeldBack

  const choose = (next: View) => {
    remember(next)
    setView(next)
    setAsked(next === 'rich')
    if (next === 'rich') loadRichText()
  }
  const rewrite = () => {
    if (module === undefined || found === undefined) return
    const after = module.writeHtml(found.document)
    onChange(after)
    offerUndo('HTML rewritten.', () => {
      if (read() === after) onChange(value)
    })
  }
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="space-between">
        <Input.Label labelElement="div" required>
          {label}
        </Input.Label>
        <SegmentedControl
          size="xs"
          aria-label={label}
          data={views}
          value={isHtml ? 'html' : 'rich'}
          onChange={(name) => choose(viewNamed(name) ?? 'html')}
        />
      </Group>
      {view === 'rich' && isAsked && (
        <ViewNotice
          hasFailed={richText.state === 'failed'}
          found={isHeldBack ? found : undefined}
          onRewrite={rewrite}
        />
      )}
      {isHtml && (
        <CodeEditor
          label="HTML"
          description={description}
          language="liquid"
          variables={variables}
          problems={problems}
          error={error}
          value={value}
          onChange={(html) => {
            // What is typed may become representable, which must not take the code away.
            setView('html')
            onChange(html)
          }}
        />
      )}
      {!isHtml && module === undefined && <Loading />}
      {!isHtml && module !== undefined && (
        <Input.Wrapper
          label="Rich text"
          labelElement="div"
          description={description}
          error={error}
          labelProps={{ id: `${id}-label` }}
          descriptionProps={{ id: `${id}-description` }}
          errorProps={{ id: `${id}-error`, role: 'alert' }}
        >
          <module.RichTextEditor
            value={value}
            variables={variables}
            invalid={Boolean(error)}
            labelledBy={`${id}-label`}
            describedBy={`${id}-description${error ? ` ${id}-error` : ''}`}
            onChange={(html) => {
              remember('rich')
              setWritten(html)
              onChange(html)
            }}
          />
        </Input.Wrapper>
      )}
    </Stack>
  )
}
