// A field for Liquid or JSON code. The editor is loaded when the first field is shown.
import { Box, Input, Skeleton } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { lazy, type ReactNode, Suspense } from 'react'
import type { CodeProblem, Language } from './code-language.ts'

const CodeMirror = lazy(() => import('./code-mirror.tsx'))

/** Heights of empty editors, in pixels. */
const heights = { liquid: 96, json: 60 } as const satisfies Record<Language, number>

interface CodeEditorProps {
  readonly label: string
  readonly description?: ReactNode
  readonly error?: ReactNode
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly language: Language
  /** Names to suggest while someone types, such as `payload.order.id`. */
  readonly variables?: readonly string[]
  /** Errors with a position in the text. */
  readonly problems?: readonly CodeProblem[]
  readonly value?: string
  readonly onChange: (value: string) => void
}

export function CodeEditor({ label, description, error, required = false, value = '', ...editor }: CodeEditorProps) {
  const id = useId()
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description}
      error={error}
      required={required}
      labelProps={{ id: `${id}-label` }}
      descriptionProps={{ id: `${id}-description` }}
      errorProps={{ id: `${id}-error`, role: 'alert' }}
    >
      <Box mt={5}>
        <Suspense fallback={<Skeleton h={heights[editor.language]} />}>
          <CodeMirror
            {...editor}
            value={value}
            minHeight={heights[editor.language]}
            invalid={error !== undefined && error !== null}
            labelledBy={`${id}-label`}
            describedBy={[description && `${id}-description`, error && `${id}-error`].filter(Boolean).join(' ')}
          />
        </Suspense>
      </Box>
    </Input.Wrapper>
  )
}
