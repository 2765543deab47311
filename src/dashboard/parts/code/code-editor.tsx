// A field for Liquid or JSON code. Plain until someone is about to write in one.
import { Box, Input } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { createElement, type ReactNode, useEffect, useState } from 'react'
import type { CodeInput, CodeProblem, Language, Selection } from './code-language.ts'
import { loadCodeMirror, useCodeMirror } from './code-module.ts'
import { PlainCode } from './plain-code.tsx'

/** Heights of empty editors, in pixels. */
const heights = { liquid: 96, json: 60 } as const satisfies Record<Language, number>

/** A longer text is scrolled. */
const MAX_HEIGHT = '420px'

export interface CodeEditorProps {
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
  const codeMirror = useCodeMirror()
  const [selection, setSelection] = useState<Selection>()
  const hasProblems = editor.problems !== undefined && editor.problems.length > 0
  const isNeeded = hasProblems || editor.readOnly === true
  // Only the editor shows where an error is, and a disabled field never receives the focus.
  useEffect(() => {
    if (isNeeded) loadCodeMirror()
  }, [isNeeded])

  const ids = [description && `${id}-description`, error && `${id}-error`].filter(Boolean).join(' ')
  const field: CodeInput = {
    value,
    onChange: editor.onChange,
    readOnly: editor.readOnly ?? false,
    invalid: error !== undefined && error !== null,
    minHeight: heights[editor.language],
    maxHeight: MAX_HEIGHT,
    labelledBy: `${id}-label`,
    describedBy: ids === '' ? undefined : ids,
  }
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
        {codeMirror === undefined ? (
          <PlainCode
            {...field}
            onSelect={(from, to) => setSelection({ from, to })}
            onBlur={() => setSelection(undefined)}
          />
        ) : (
          createElement(codeMirror, {
            ...field,
            language: editor.language,
            variables: editor.variables,
            problems: editor.problems,
            selection,
          })
        )}
      </Box>
    </Input.Wrapper>
  )
}
